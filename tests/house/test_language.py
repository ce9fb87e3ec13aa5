"""Languages: catalogues match the sources, placeholders, fonts, and switching in the real window."""

import ast
import copy
import dataclasses
import functools
import pickle
import re
from collections import Counter

import pytest

from app.engine import file_kinds
from app.i18n import find_texts, message, translate
from app.panels.fit import FORMAT_HELP
from app.panels.status import _made
from physics import Report, fields
from physics.observe.audit.findings import Finding, Rule
from tests.helpers import still_frame
from tests.tools.sources import nodes, under

OTHERS = [code for code in translate.LANGUAGES if code != "en"]

FLOORS = dict.fromkeys(find_texts.PARTS, 0.99)
"""Least share of entries by part, of what a person may see."""

DEAD = 10
"""Entries whose English text may have changed since they were written; `python -m app.i18n.find_texts` tells the new texts."""

ASSEMBLED = "put together when it is shown"


@pytest.fixture(autouse=True)
def english():
    yield
    translate.set_language("en")


@pytest.fixture(params=OTHERS)
def code(request):
    translate.set_language(request.param)
    return request.param


@functools.cache
def table(code):
    return dict(translate.read(translate.LANGUAGES_FOLDER / f"{code}.po"))


def places(text):
    """Names of the places outside of formulas: "" and "#" of nameless ones, numbers in translations of these."""
    return [name or sign for sign, name, _ in translate.PLACEHOLDER.findall("".join(text.split("$")[::2]))]


def test_entries_belong_to_the_sources(code):
    """Few dead entries, besides those that are marked as put together at run time."""
    known = set().union(*(find_texts.texts(part) for part in find_texts.PARTS))
    text = (translate.LANGUAGES_FOLDER / f"{code}.po").read_text(encoding="utf-8")
    _, _, after = text.partition(f"#. {ASSEMBLED}\n")
    assembled = set(map(ast.literal_eval, re.findall(r'^msgid(?:_plural)? (".+")$', after, re.M)))
    dead = [english for english in table(code) if english not in known | assembled]
    print(f"{code}: {len(dead)} entries without a text", *dead, sep="\n")
    assert len(dead) <= DEAD and len(assembled) < 60


@pytest.mark.parametrize("code", OTHERS)
def test_translations_keep_placeholders_and_formulas(code):
    for english, said in table(code).items():
        assert sorted(english.split("$")[1::2]) == sorted(said.split("$")[1::2]), english
        wanted, there = places(english), places(said)
        if translate.has_places(english):
            numbers = [int(name) for name in there if name.isdigit()]
            assert all(number < len(wanted) for number in numbers) and len(there) == len(wanted), english
        else:
            assert set(there) - {"count"} == set(wanted) - {"count"}, english


@pytest.mark.parametrize("code", OTHERS)
def test_catalogues_are_valid(code):
    """Babel reads them; plural forms are as many as the language has, each with its count."""
    from babel.messages import pofile

    with (translate.LANGUAGES_FOLDER / f"{code}.po").open("rb") as file:
        catalogue = pofile.read_po(file, locale=code, abort_invalid=True)
    for entry in catalogue:
        if entry.pluralizable:
            assert len(entry.string) == catalogue.num_plurals and all("{count" in form for form in entry.string), entry.id


def test_units_are_written_as_beside_numbers():
    """SI symbols, which no language changes: a Russian sentence said J in Cyrillic where the table below it said J."""
    cyrillic = re.compile("[\\d}%] (?:Дж|Вт|Гц|Н·?[мс]?|к?Н/м|[мс]?м/с|м?кг|рад|рад/с|[смк]?м|мс|с)(?=[.,;:)»]|$)")
    assert {english: said for english, said in table("ru").items() if cyrillic.search("".join(said))} == {}


def test_texts_of_the_app_are_messages():
    """Nameless places are for texts of physics and scenes."""
    found = [f"{file}: {text}" for text, file in find_texts.texts("window").items()
             if translate.has_places(text) and text in table("ru")]
    assert found == []


def test_no_text_has_two_entries():
    files = sorted(translate.LANGUAGES_FOLDER.rglob("*.po"))
    assert [f"{file.name}: {key}" for file in files for key, count in
            Counter(re.findall(r"^msgid (\".+\")$", file.read_text(encoding="utf-8"), re.M)).items() if count > 1] == [] and files


def test_messages_have_a_value_for_each_place():
    """What runs rarely would raise only then."""
    found = 0
    for file in under("app"):
        for node in nodes(file):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "message" and not any(
                    isinstance(one, ast.Starred) or not isinstance(one, ast.Constant) for one in node.args):
                wanted = {name for one in node.args for _, name, _ in message.parts(one.value) if name}
                given = {word.arg for word in node.keywords}
                if None in given:       # a table of values
                    continue
                assert wanted == given, f"{file}:{node.lineno}: places {wanted ^ given}"
                assert len(node.args) == 1 or "count" in given, f"{file}:{node.lineno}: nothing chooses the plural"
                found += 1
    assert found > 600


def test_named_files_exist():
    assert [name for name in sorted(find_texts.PLUMBING) if not (find_texts.ROOT / name).is_file()] == []


@pytest.mark.parametrize("code", OTHERS)
def test_babel_extracts_what_has_an_entry(code):
    """By the method that CONTRIBUTING.md names, of a file with plurals."""
    from babel.messages.extract import extract

    with (find_texts.ROOT / "app" / "panels" / "status.py").open("rb") as file:
        told = [text for _, text, _, _ in extract(find_texts.extract, file)]
    assert ("{count} row", "{count} rows") in told and len(told) > 40
    assert {one if isinstance(one, str) else one[0] for one in told} <= table(code).keys()


@pytest.mark.parametrize("code", OTHERS)
@pytest.mark.parametrize("part", find_texts.PARTS)
def test_share_of_entries(code, part):
    share = 1.0 - len(find_texts.missing(code, part)) / len(find_texts.shown_texts(part))
    print(f"{code}, {part}: {100.0 * share:.0f} % of the texts that people may see have an entry")
    assert share >= FLOORS[part]


SYMBOLS = re.compile(r"""\{[^{}]*\} | \$[^$]*\$ | [A-Za-z]*_[A-Za-z0-9_,+]+ | (?<![A-Za-z])(?:d?omega|Omega|alpha|beta|gamma|Gamma
                     |theta|phi|psi|rho|tau|kappa|lambda|mu|sqrt|sin|cos|tan|exp|sum|const|rad|deg|Stronge)\d?(?![A-Za-z])""",
                     re.VERBOSE)
"""What no language changes: places of values, formulas, variables, functions, units, and a name that Chinese leaves as it is."""


def scene_texts(scene):
    """All texts of a scene that are shown."""
    parameters = scene.parameters()
    yield from (scene.title, scene.category, scene.look_for, scene.law_text, scene.numerical, scene.violations)
    for one in fields(scene.parameters):
        yield from (one.name.replace("_", " "), one.metadata["help"], *map(str, one.metadata["choices"]))
    yield from (one.name for one in (scene.predict(parameters) if scene.predict else ()))
    yield from (one.label for one in (*scene.curves, *(scene.law_curves(parameters) if scene.law_curves else ())))
    yield from (one.event for one in scene.published_times)
    for one in (*scene.controls, *scene.tasks):
        yield from (one.name, getattr(one, "help", ""), getattr(one, "text", ""))


def lesson_texts(lesson):
    for step in lesson.steps:
        yield from (step.text, *([step.action.label] if step.action else []))
    for one in lesson.exercises:
        yield from (one.question, one.explanation, *one.hints, *one.choices, *(slip.hint for slip in one.mistakes))


def test_all_lessons_and_scenes_are_translated(code):
    """As they are drawn: labels of buttons had no entry, because the test asked in English, where nothing lacks one."""
    import scenes
    from scenes.lessons import all_lessons

    assert translate.code() == code
    wanted = {text for scene in scenes.all_scenes().values() for text in scene_texts(scene)}
    wanted |= {text for lesson in all_lessons().values() for text in lesson_texts(lesson)}
    words = re.compile("[A-Za-z]{3}")
    assert len(wanted) > 2000
    assert [text for text in sorted(wanted) if words.search(SYMBOLS.sub("", text)) and translate.translate(text) == text] == []


def test_formulas_hold_no_english_words():
    """They are the same in every language."""
    import scenes
    from scenes import maps
    from scenes.lessons import all_lessons

    found = {name: scene.law for name, scene in scenes.all_scenes().items()}
    found |= {f"map {name}": one.law + scenes.find(one.scene).law for name, one in maps.all_maps().items()}
    found |= {f"lesson {name}": " ".join(formula for one in lesson.exercises
                                         for text in (one.question, one.explanation, *one.hints)
                                         for formula in text.split("$")[1::2]) for name, lesson in all_lessons().items()}
    international = {"max", "min", "sign", "const", "Newton", "Poisson", "Stronge"}
    words = {name: {word for upright, word in re.findall(r"\\(?:text|mathrm)\{\W*(\w+)|(?<![\\A-Za-z])([A-Za-z]{3,})", formula)
                    for word in (upright or word,)} - international for name, formula in found.items()}
    assert {name: ones for name, ones in words.items() if ones} == {} and len(words) > 150


@pytest.mark.parametrize(("english", "russian"), [
    ("Run", "Пуск"), ("\uf04b Run", "\uf04b Пуск"), ("Open a scene (Alt+O)", "Открыть сцену (Alt+O)"),
    ("Friction: static", "Трение: статическое"),
    ("Max correction speed", "Предел скорости исправления"),
    ("nobody translated this", "nobody translated this"), ("", ""), ("3.5 m/s", "3.5 m/s")])
def test_translations_of_texts(english, russian):
    translate.set_language("ru")
    assert translate.translate(english) == russian
    assert translate.translate(translate.translate(english)) == russian, "what is translated stays"


def test_what_is_translated_is_not_translated_again(code):
    """Where a paragraph is wrapped and drawn: its last word in brackets, which a reader has to type in English, was."""
    for english in (text for text in table(code) if "{" not in text):
        said = translate.translate(english)
        assert translate.translate(said) == said
    assert translate.translate(FORMAT_HELP).endswith("time [s],angle [deg]." if code == "ru" else "angle [deg]。")


@pytest.mark.parametrize(("english", "shown"), [
    ("acceleration of box 1, on mu = 0.25", "acceleration of box 1, on \u03bc = 0.25"), ("box (mu = 0.5)", "box (\u03bc = 0.5)"),
    ("up to mu_s m g, then mu_k", "up to \u03bc_s m g, then \u03bc_k"),
    ("a = g (sin a - mu cos a).", "a = g (sin a - \u03bc cos a)."),
    ("mu", "\u03bc"), ("maximum of the simulation", "maximum of the simulation"), ("$\\mu$ is", "$\\mu$ is"),
    ("'mu' is unknown", "'mu' is unknown"), ("set mu=0.5", "set mu=0.5"), ("saved mu.csv", "saved mu.csv"),
    ("name the pair: mu_s:A & B", "name the pair: mu_s:A & B"), ("world.mu", "world.mu"), ("scenes/mu", "scenes/mu"),
    ("input:mu", "input:mu")])
def test_the_friction_coefficient_is_drawn_as_its_letter(english, shown, monkeypatch):
    translate.set_language("en")
    assert translate.translate(english) == shown and translate.translate(shown) == shown
    assert translate.label(english) == f"{shown}###{english}"
    monkeypatch.setattr(translate, "personal", {english})
    assert translate.translate(english) == english, "a name that someone gave"


@pytest.mark.parametrize(("english", "russian", "chinese"), [
    ("pusher & block normal force", "толкатель и брусок: нормальная сила", "推杆 和 木块: 法向力"),
    ("four legs & ground #0 gap", "четыре ножки и земля №0: зазор", "四条腿 和 地面 #0: 间隙")])
def test_forces_between_two_bodies_are_named(english, russian, chinese):
    for code, said in (("ru", russian), ("zh", chinese)):
        translate.set_language(code)
        assert translate.translate(english) == said
    translate.set_language("ru")
    translate.set_names(("pusher", "block"))
    assert translate.named("pusher & block", "normal force") == "толкатель & брусок: нормальная сила", "on an axis of a plot"
    translate.set_names(())


def test_the_letter_of_the_friction_coefficient_is_in_every_language():
    predicted = {}
    for code in translate.LANGUAGES:
        translate.set_language(code)
        predicted[code] = translate.translate("acceleration of box 1, on mu = 0.25")
    assert all("\u03bc = 0" in text for text in predicted.values()) and len(set(predicted.values())) == len(predicted)


def rows(count):
    return message.message("{count} row", "{count} rows", count=count)


@pytest.mark.parametrize(("english", "russian", "chinese"), [
    (rows(1), "1 строка", "1 行"), (rows(22), "22 строки", "22 行"), (rows(111), "111 строк", "111 行"),
    (message.joined(", ", (rows(21), "Run")), "21 строка, Пуск", "21 行, 运行"),
    ("Run" + rows(5), "Пуск5 строк", "运行5 行"),
    (message.message("saved {path}", path="Run"), "сохранено: Пуск", "已保存 运行"),
    (message.message("saved {path}", path=message.Verbatim("Run")), "сохранено: Run", "已保存 Run"),
    (message.message("saved {path}", path=rows(3)), "сохранено: 3 строки", "已保存 3 行"),
    (f"{rows(2)} (x)", "2 строки (x)", "2 行 (x)")])
def test_messages_are_translated_before_they_are_filled(english, russian, chinese):
    rows(2)         # found by its text alone, among the newest messages: other tests may have made many since the list above
    for code, said in (("en", str(english)), ("ru", russian), ("zh", chinese)):
        translate.set_language(code)
        assert translate.translate(english) == said


def test_a_language_is_one_file(monkeypatch, tmp_path):
    """Found by listing, with the plural forms that its header tells; what it lacks stays English."""
    head = ("Content-Type: text/plain; charset=UTF-8\\nX-Native-Name: Deutsch\\nX-English-Name: German\\n"
            "Plural-Forms: nplurals=2; plural=(n != 1);\\n")
    (tmp_path / "de.po").write_text(f'msgid ""\nmsgstr "{head}"\n\nmsgid "Run"\nmsgstr "Start"\n\nmsgid "{{count}} row"\n'
                                    'msgid_plural "{count} rows"\nmsgstr[0] "{count} Zeile"\nmsgstr[1] "{count} Zeilen"\n\n'
                                    '#, fuzzy\nmsgid "Step"\nmsgstr "Stufe"\n', encoding="utf-8")
    monkeypatch.setattr(translate, "LANGUAGES_FOLDER", tmp_path)
    assert translate.found(tmp_path, "X-Native-Name") == {"en": "English", "de": "Deutsch"}
    assert translate.found(tmp_path, "X-English-Name") == {"en": "English", "de": "German"}
    monkeypatch.setitem(translate.LANGUAGES, "de", "Deutsch")
    translate.set_language("de")
    assert [translate.translate(text) for text in ("Run", rows(1), rows(0), "Reset", "Step")] == [
        "Start", "1 Zeile", "0 Zeilen", "Reset", "Step"]


@pytest.mark.parametrize("made", [lambda text: message.joined(" ", [text]), message.message])
def test_a_message_of_one_text_is_translated_as_that_text(made):
    """A question with a number stayed English where it was a message, and everywhere once it had been one."""
    translate.set_language("ru")
    question = "What is the period of the motion, if the arm has a moment of inertia of 0.7 kg m$^2$?"
    told = made(question)
    assert told == question
    assert translate.translate(told).startswith("Каков период")
    assert translate.translate(question).startswith("Каков период")


def test_messages_are_their_english_text():
    for made in (rows(4), pickle.loads(pickle.dumps(rows(4))), copy.deepcopy(rows(4)), str(ValueError(rows(4)))):
        assert made == "4 rows" and made.template == "{count} row" and made.plural == "{count} rows" and made.count == 4
    exact = message.message("{a:.2f} of {b} in $x^{2}$ {c}", a=1.0, b=1.0, c="c")
    assert exact == "1.00 of 1.0 in $x^{2}$ c"
    with pytest.raises(KeyError):
        message.message("{a} {b}", a=1)


def test_messages_of_scene_files_are_translated():
    """Values are messages themselves: what pydantic found, and how many more there are."""
    from app.engine.scene_files import scene_file
    from physics import BadInput

    head = "format = 1\n[[bodies]]\nname = 'a'\nkind = 'static'\npos = [1.0, 2.0]\n"
    with pytest.raises(BadInput) as raised:
        scene_file.understood(head.encode(), "a.toml")
    english = str(raised.value)
    translate.set_language("ru")
    assert english == "a.toml, line 5, element bodies.0.pos = [1.0, 2.0]: it must be of at least 3 elements, not 2"
    assert translate.translate(english) == ("a.toml, строка 5, элемент bodies.0.pos = [1.0, 2.0]: должно быть не менее чем из 3 "
                                            "элементов, а не из 2")


def told(name, text, tmp_path):
    """The error about a file with this text that is opened."""
    from app.engine.simulation import Simulation
    from physics import BadInput

    (path := tmp_path / name).write_text(text)
    with pytest.raises(BadInput) as raised:
        Simulation().load(file_kinds.admit(str(path)))
    return str(raised.value)


@pytest.mark.parametrize(("name", "text", "russian"), [
    ("a.toml", "format = \n", "строка 1: это не TOML"),
    ("a.urdf", "<robot><link", "a.urdf, строка 1: это не XML"),
    ("a.urdf", "<robot>\n<link/></robot>", "a.urdf, строка 2: у <link> нет атрибута 'name': добавьте name"),
    ("a.urdf", '<robot><link name="a"><inertial><mass value="x"/></inertial></link></robot>',
     'value="x" в <mass> — должно быть одно конечное число'),
    ("a.sdf", '<sdf version="1.7"></sdf>', "a.sdf, строка 1: нет <model>: добавьте"),
    ("a.sdf", "<robot></robot>", "<robot> — не <sdf>, с которого начинается файл SDF")])
def test_errors_of_dropped_files_are_translated(name, text, russian, tmp_path):
    """Names and tags of the file stay as they are in it."""
    english = told(name, text, tmp_path)
    translate.set_language("ru")
    assert russian in translate.translate(english)


def test_places_keep_their_order_and_formulas():
    made = translate.template("{} of {} in $x^{2}$ {#}", "{1} / {0}: {2}, $x^{2}$")
    match = made.pattern.fullmatch("a of b in $x^{2}$ 0.5")
    assert made.fill(match, str.upper) == "B / A: 0.5, $x^{2}$"


def pushed(body):
    return message.message("normal from {body}", body=body)


def test_names_given_by_users_are_not_translated():
    translate.set_language("ru")
    assert translate.translate("ball") == "шар"
    for name in ("ball", "slope"):
        translate.mark_as_personal(name)
    translate.set_names(("ball", "slope", "Karl"), ("hinge of the door",))
    assert translate.translate("ball") == "ball" and translate.translate(pushed("slope")) == "нормальная сила от slope"
    assert translate.translate("ball, xz plane") == "ball, плоскость xz" and translate.translate("Karl speed") == "Karl: скорость"
    assert translate.label("ball").split("###")[0] == "шар", "a control is no body"
    translate.set_names((), ())
    assert translate.translate("ball") == "шар"
    translate.personal.clear()


def test_names_of_scenes_are_shown_in_the_language():
    translate.set_language("ru")
    translate.set_names(("box 0.5 mu", "wall +1 -2", "slope"), ("hinge",))
    for english, russian in {
            "slope": "склон", "box 0.5 mu": "ящик 0.5 μ", "wall +1 -2": "стена +1 -2", "slope and hinge": "склон и петля",
            "slope - box 0.5 mu": "склон – ящик 0.5 μ", pushed("slope"): "нормальная сила от «склон»",
            "box 0.5 mu speed": "ящик 0.5 μ: скорость", "box 0.5 mu something": "box 0.5 μ something",
            message.message("{arrow}, {parts} contacts", arrow=pushed("slope"), parts=4):
                "нормальная сила от «склон», контактов: 4",
            "slope, xz plane": "склон, плоскость xz",
            "slope - box 0.5 mu: holds": "склон – ящик 0.5 μ: держит", "slope z [m]": "склон z [m]",
            "belt of equal friction": "лента с равным трением", "held, pushed left #0": "удержан, толкают влево #0"}.items():
        assert translate.translate(english) == russian
    spring = message.message("joint '{joint}' has a motor or a spring", joint="hinge")
    assert translate.translate(spring) == "у шарнира «петля» есть привод или пружина", "quoted once"
    fault = Finding(Rule.GAINED, 0.011, 2.0, 1, 1, -1, -1, -1, 1.6, "'slope'", "")
    assert "«склон» получил" in translate.translate(fault.text)
    assert translate.translate("'slope' & 'hinge'") == "«склон» & «петля»" and translate.translate("'ball'") == "'ball'"


def test_labels_and_units_of_options_are_translated(code):
    """They are names of fields and words beside numbers, which the search for texts in the sources does not meet."""
    import scenes
    from app.analysis.friction_fit.fit_parameters import LAW_TERMS, NUISANCES
    from app.gui.controls.values import pretty, title
    from app.render.view_options import ViewOptions
    from physics import World, solvers

    frame = still_frame(World())
    options = [field for one in (ViewOptions(), frame.sleeping, frame.audit_options,
                                 *(scene.parameters() for scene in scenes.all_scenes().values()),
                                 *(kind.options_type() for kind in solvers.available().values()))
               if dataclasses.is_dataclass(one) for field in fields(one)]
    labels = {title(name) for name in (*NUISANCES, *LAW_TERMS, *(field.name for field in options))}
    assert len(labels) > 150
    assert [label for label in sorted(labels) if re.search("[a-z]{3}", label) and translate.translate(label) == label] == []
    assert [unit for unit in sorted({field.metadata["unit"] for field in options})
            if re.search(r"\b(?!rad|deg)[a-z]{3}|\bor\b", pretty(unit))] == []


@pytest.mark.parametrize("code", OTHERS)
def test_names_with_words_after_them_are_translated_whole(code):
    """Templates for texts of scenes, such as "tally {}", took "tally full speed" apart."""
    translate.set_language(code)
    wrong, known = {}, dict(translate.read(translate.LANGUAGES_FOLDER / "names" / f"{code}.po"))
    for name in (english.replace("{}", "3") for english in known):
        translate.set_names((name,))
        said = translate.translate(f"{name} speed")
        if said != translate.named(name, "speed"):
            wrong[name] = said
    translate.set_names((), ())
    assert wrong == {} and len(known) > 300


@pytest.mark.parametrize("code", OTHERS)
def test_every_name_of_our_scenes_has_a_translation(code):
    import scenes
    from physics import World

    known, wanted = dict(translate.read(translate.LANGUAGES_FOLDER / "names" / f"{code}.po")), set()
    for scene in scenes.all_scenes().values():
        world = World()
        scene.build(world, scene.parameters())
        wanted |= {translate.unnumbered(name) for name in (*world.body_names, *world.joint_names) if name}
    assert wanted <= known.keys(), sorted(wanted - known.keys())
    for name, said in known.items():
        assert name.count("{}") == said.count("{}"), name
    print(f"{code}: {len(wanted)} names; in no scene: {sorted(known.keys() - wanted)}")


def test_explanations_are_translated_as_whole_sentences(code):
    made = message.message
    for english in (made("It moves at {speed} m/s and turns at {spin} rad/s and {change}: the net force is {force} N, an "
                         "acceleration of {acceleration} m/s².", speed=1, spin=3, change="slows down", force=3, acceleration=2),
                    made("{arrow} drives it with {share} N{part}", arrow=made("friction from {body}", body="floor"), share=3,
                         part=made(" (of {size} N).", size=4)),
                    made("{arrow} resists with {share} N{part}", arrow="gravity", share=2.5, part="."),
                    made("Friction with {name} is at its bound {places}: μ = {mu} allows {most} N, {needed} N would be needed to "
                         "hold it.", name="floor", places="at its only contact", mu=0.5, most=3, needed=4),
                    made("Two steps. The first stops the penetration: λ = {normal} N s {left}.", normal=1,
                         left=made("leaves v = {whole}{after} m/s", whole="−gap/h = ", after="−0.5"))
                    + made(" The second causes the rebound: λ = {normal} N s, v = {after} m/s.", normal=1, after=0.4)):
        said = translate.translate(english)
        assert all(key in dict(table(code)) for key in (english.template.strip(),) if english.template.strip("{}01"))
        words = re.findall("[A-Za-z]{2,}", said.replace("floor", "").replace("gap/h", "").replace("rad/s", ""))
        assert not words and re.findall(r"\d+\.?\d*", said) == re.findall(r"\d+\.?\d*", english), said


def test_widget_ids_do_not_depend_on_the_language():
    seen = []
    for code in translate.LANGUAGES:
        translate.set_language(code)
        seen.append([translate.label(text).split("###")[-1] for text in ("Run", "Run##two", "Run###three", "##four")])
    assert seen == [["Run", "Run##two", "three", "##four"]] * len(translate.LANGUAGES)


def test_english_costs_nothing_and_no_language_loses_a_text():
    translate.set_language("en")
    assert translate.translate("Run") == "Run" and translate.translated("Run")
    with pytest.raises(KeyError):
        translate.set_language("xx")
    assert translate.code() == "en"


def test_without_a_chinese_font_the_reason_is_shown(monkeypatch):
    from app.gui.commands import actions
    from app.gui.text import fonts

    monkeypatch.setattr(fonts, "chinese", lambda: None)
    rows = {row.name: row for row in actions.view_actions()}
    assert not rows["language_zh"].ready(None) and "install fonts-noto-cjk" in rows["language_zh"].help
    assert rows["language_ru"].help == "Russian.", "found by whoever cannot type it"
    assert rows["language_ru"].ready(None) and rows["language_zh"].label == "Language \u4e2d\u6587"


def test_settings_store_the_language(tmp_path):
    from app.gui.shell import settings

    file = tmp_path / "settings.toml"
    file.write_text(settings.as_toml(settings.Settings(language="ru")), encoding="utf-8")
    assert settings.load(file)[0].language == "ru"
    file.write_text('language = "xx"\n', encoding="utf-8")
    assert settings.load(file)[0].language == "en" and "language" in settings.load(file)[1]


def test_chinese_lines_fit_and_do_not_begin_with_punctuation():
    from app.gui.text.chinese_lines import pieces

    assert pieces("粘住的箱子，不会爬行。") == ["粘", "住", "的", "箱", "子，", "不", "会", "爬", "行。"]
    assert pieces("Lemke") == ["Lemke"]


def test_step_reports_are_translated(code):
    """The status bar put counts, nouns and endings together, and no language had that for a key."""
    of_no_problem = {"change": 0.0, "residual": 0.0, "contacts": 0, "rows": 0, "penetration": 0.0, "joint_error": 0.0}
    for end, counted in (*((end, "sweeps") for end in ("converged", "iteration limit", "slow", "budget", "fixed")),
                         ("gave way", "pivots"), ("softened", "pivots")):
        for iterations in (1, 2, 50):
            report = Report(solver="x", iterations=iterations, end=end, iteration_unit=counted, **of_no_problem)
            told = translate.translate(_made(report))
            assert f"{iterations}" in told and not re.search("[A-Za-z]", told)


# ---- at the window


def open_menu(person, name):
    there = [spot for spot in spots(person) if spot.endswith(f"/{name}")]
    assert there, sorted(spots(person))
    person.click(there[0])


def spots(person):
    from tests.tools.person import fresh_spots

    return set(fresh_spots(person))


def test_switching_the_language_closes_no_panel(person):
    from pyglet.window import key

    before = {spot.split("/")[0] for spot in spots(person)}
    open_menu(person, "View")
    person.move(*person.spot(next(spot for spot in spots(person) if spot.endswith("/Language"))))
    person.look(30)
    person.click(next(spot for spot in spots(person) if spot.endswith("/language_ru")))
    assert translate.code() == "ru"
    person.hit(key.ESCAPE)
    person.look(4)
    assert before <= {spot.split("/")[0] for spot in spots(person)}, "every panel stays where it was"
    open_menu(person, "View")
    person.move(*person.spot(next(spot for spot in spots(person) if spot.endswith("/Language"))))
    person.look(30)
    person.click(next(spot for spot in spots(person) if spot.endswith("/language_en")))
    assert translate.code() == "en"


def test_the_palette_finds_words_of_the_language(person):
    from app.panels.palette import PaletteState, matching

    translate.set_language("ru")
    person.session.window.toggle_panel("palette")
    person.look(3)
    state = person.session.state(PaletteState)
    state.typed.text = "тёплый"
    assert "warm start" in matching(state)[0].label
    state.typed.text = "undo" if person.session.simulation.edits.done else "quit"
    assert matching(state)
    person.session.window.toggle_panel("palette")
    person.look(3)


def test_titles_menus_and_buttons_fit_in_russian(window, person):
    """Nothing leaves the window, and no button is narrower than its text."""
    from imgui_bundle import imgui

    from app.i18n import imgui_translated

    translate.set_language("ru")
    narrow = []

    def button(label, size):
        text = label.split("##")[0]
        if 0.0 < size.x < imgui.calc_text_size(text).x:
            narrow.append(text)
        return imgui.button(label, size)

    kept = imgui_translated.imgui.button
    imgui_translated.imgui.button = lambda label, *more: button(translate.label(label), *more)
    try:
        person.look(3)
    finally:
        imgui_translated.imgui.button = kept
    assert not narrow
    width = window.get_size()[0]
    from app.gui.controls import widgets

    assert not {spot: x1 for spot, (_, _, x1, _) in widgets.clickable_areas.items() if spot.split("/")[0] in ("top", "status")
                and x1 > width + 1.0}


def test_chinese_is_drawn(window, person):
    from app.gui.text import fonts
    if fonts.chinese() is None:
        pytest.skip("no Chinese font on this machine")
    translate.set_language("zh")
    person.look(4)
    from imgui_bundle import imgui

    font = imgui.get_io().fonts.fonts[0]
    assert font.is_glyph_in_font(ord("摩")) and len(imgui.get_io().fonts.sources) == fonts.FONT_FILES + 1


def test_the_names_of_languages_can_be_read_in_every_language(window, person):
    """Without a Chinese font, too: whoever reads only Chinese finds it."""
    from imgui_bundle import imgui

    from app.gui.text import fonts
    from tests.tools.person import fresh_spots

    before, context = imgui.get_current_context(), imgui.create_context()
    imgui.set_current_context(context)
    try:
        fonts.load()        # as at the start, before another language has brought its font
        font = imgui.get_io().fonts.fonts[0]
        assert all(font.is_glyph_in_font(ord(letter)) for name in translate.LANGUAGES.values() for letter in name)
        assert not font.is_glyph_in_font(ord("\u6469"))
    finally:
        imgui.destroy_context(context)
        imgui.set_current_context(before)
    person.click("MainMenuBar/View")
    person.move(*person.spot(next(spot for spot in fresh_spots(person) if spot.endswith("/Language"))))
    assert person.wait(lambda: any(spot.endswith("/language_zh") for spot in fresh_spots(person)), 5.0)
    person.window.gui.close_popup()
