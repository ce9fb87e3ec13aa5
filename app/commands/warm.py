"""`stiction warm`: compile every kernel now, in a separate process, with a progress bar."""

import argparse
import sys

HELP = "compile all kernels in advance for faster starts"
EXAMPLES = "  stiction warm\n  stiction warm --again"
KERNELS = False


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--again", action="store_true", help="delete all compiled kernels first")


def run(args: argparse.Namespace) -> int:
    """Compile missing kernels and print where they are stored."""
    from physics.core.compile import cache

    if args.again:
        cache.clear()
    code = ensure_kernels()
    if not code:
        print(f"the kernels are compiled and stored in {cache.folder()}")
    return code


def ensure_kernels() -> int:
    """Compile missing kernels; return the exit code. A disk that cannot store them is not a failure."""
    from app.kernel_compilation import CompilationProgress, compile_all, needed, unused
    from physics.core.compile import cache
    from physics.warmup import compile

    if not needed():
        return 0
    if why := unused():
        print(f"stiction: {why}", file=sys.stderr)
    with _bar() as bar:
        def show(progress: CompilationProgress) -> None:
            bar.total = progress.total
            bar.set_postfix_str(f"{progress.left} {progress.name}", refresh=False)
            bar.n = progress.done
            bar.refresh()

        if cache.is_kept():
            code, trouble = compile_all(show)
            cache.load_set()
        else:
            why = cache.untrusted_reason(cache.root()) or "it is not writable"
            print(f"stiction: {cache.root()} is not used: {why}; each start compiles the kernels again", file=sys.stderr)
            compile.compile_all(lambda done, total, seconds, name: show(CompilationProgress(done, total, seconds, name)))
            return 0
    if code:
        print(f"stiction: could not compile the kernels in advance: {trouble}", file=sys.stderr)
    return code


def _bar() -> "tqdm":  # noqa: F821
    from tqdm import tqdm

    terminal = bool(sys.stderr and sys.stderr.isatty())
    if not terminal and sys.stderr:
        print("compiling the kernels: once after installing or updating, about two minutes", file=sys.stderr, flush=True)
    return tqdm(desc="compiling", disable=not terminal, file=sys.stderr, leave=False,
                bar_format="{desc} [{bar:24}] {percentage:.0f} %{postfix}")
