"""What pyproject.toml cannot say: all our folders are installed inside of one package, `stiction` (app/installed).

So an installation claims no name like `app` or `assets` for itself, and a checkout keeps its folders as they are.
"""

from setuptools import find_packages, setup

INSTALLED = "app.installed"
FOLDERS = ("app", "physics", "scenes", "benchmarks", "assets")

packages = find_packages(include=[pattern for folder in FOLDERS for pattern in (folder, f"{folder}.*")], exclude=[INSTALLED])
setup(
    packages=["stiction", *(f"stiction.{package}" for package in (*packages, "assets"))],
    package_dir={"stiction": INSTALLED.replace(".", "/"), **{f"stiction.{folder}": folder for folder in FOLDERS}},
    package_data={"stiction": ["py.typed"], "stiction.assets": ["**/*"], "stiction.physics.warmup": ["kernels.json"],
                  "stiction.benchmarks.peers": ["reference.json"]},
)
