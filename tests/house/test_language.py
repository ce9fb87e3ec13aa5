"""Languages: catalogues match the sources, placeholders, fonts, and switching in the real window."""

import re
from collections import Counter

import pytest

from app.i18n import find_texts, translate
from app.panels.status import _made
from physics import Report

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


def table(code):
    return dict(translate.read(translate.FOLDER / f"{code}.po"))


def places(text):
    outside = "".join(text.split("$")[::2])
    return [(sign, name) for sign, name, form in translate.PLACE.findall(outside) if "|" not in form]


def test_entries_belong_to_the_sources(code):
    """Few dead entries, besides those that are marked as put together at run time."""
    known = set().union(*(find_texts.texts(part) for part in find_texts.PARTS))
    text = (translate.FOLDER / f"{code}.po").read_text(encoding="utf-8")
    _, _, after = text.partition(f"#. {ASSEMBLED}\n")
    assembled = set(re.findall(r'^msgid "(.+)"$', after, re.M))
    dead = [english for english in table(code) if english not in known and translate.quoted(english)[1:-1] not in assembled]
    print(f"{code}: {len(dead)} entries without a text", *dead, sep="\n")
    assert len(dead) <= DEAD and len(assembled) < 60


@pytest.mark.parametrize("code", OTHERS)
def test_translations_keep_placeholders_and_formulas(code):
    for english, said in table(code).items():
        there = {name or sign for sign, name in places(said)}
        named = {name for _, name in places(english) if name}
        assert {name for name in there if name.isalpha()} <= named | {"#"}, english
        assert sorted(english.split("$")[1::2]) == sorted(said.split("$")[1::2]), english
        numbers = [int(name) for _, name in places(said) if name.isdigit()]
        assert all(number < len(places(english)) for number in numbers), english
        if not numbers:
            assert len(places(said)) == len(places(english)), english


def test_no_text_has_two_entries():
    files = sorted(translate.FOLDER.rglob("*.po"))
    assert [f"{file.name}: {key}" for file in files for key, count in
            Counter(english for english, _ in translate.read(file)).items() if count > 1] == [] and files


def test_named_files_exist():
    assert [name for name in sorted(find_texts.PLUMBING) if not (find_texts.ROOT / name).is_file()] == []


@pytest.mark.parametrize("code", OTHERS)
@pytest.mark.parametrize("part", find_texts.PARTS)
def test_share_of_entries(code, part):
    share = 1.0 - len(find_texts.missing(code, part)) / len(find_texts.seen(part))
    print(f"{code}, {part}: {100.0 * share:.0f} % of the texts that people may see have an entry")
    assert share >= FLOORS[part]


@pytest.mark.parametrize("code", OTHERS)
def test_all_lessons_and_scenes_are_translated(code):
    import scenes
    from scenes.lessons import all_lessons

    known = table(code)
    wanted = {text for scene in scenes.all_scenes().values() for text in (scene.title, scene.category, scene.look_for)}
    for lesson in all_lessons().values():
        for step in lesson.steps:
            wanted |= {step.text, *([step.action.label] if step.action else [])}
        for one in lesson.exercises:
            wanted |= {one.question, one.explanation, *one.hints, *one.choices, *(slip.hint for slip in one.mistakes)}
    without = sorted(text for text in wanted if text not in known and not translate.translated(text))
    print(f"{code}: {len(wanted) - len(without)} of {len(wanted)} texts of scenes and lessons", *without, sep="\n")
    assert len(without) <= 0.1 * len(wanted)


@pytest.mark.parametrize(("english", "russian"), [
    ("Run", "Пуск"), ("\uf04b Run", "\uf04b Пуск"), ("Open a scene (Alt+O)", "Открыть сцену (Alt+O)"),
    ("1 contact, 21 rows", "1 контакт, 21 строка"), ("12 contacts, 3 rows", "12 контактов, 3 строки"),
    ("step 4.17 ms", "шаг 4.17 ms"), ("Friction: static", "Трение: статическое"),
    ("Max correction speed", "Предел скорости исправления"),
    ("a.toml, line 6, element bodies.0.pos = [1.0, 2.0]: it must be of at least 3 elements, not 2",
     "a.toml, строка 6, элемент bodies.0.pos = [1.0, 2.0]: должно быть не менее чем из 3 элементов, а не из 2"),
    ("a.toml, line 7, element bodies.1.kind is missing: add it (2 more mistakes: `stiction check` lists them)",
     "a.toml, строка 7, элемент bodies.1.kind отсутствует: добавьте (ещё ошибок: 2, их перечислит `stiction check`)"),
    ("nobody translated this", "nobody translated this"), ("", ""), ("3.5 m/s", "3.5 m/s")])
def test_translations_of_texts(english, russian):
    translate.set_language("ru")
    assert translate.translate(english) == russian
    assert translate.translate(translate.translate(english)) == russian, "what is translated stays"


def test_places_keep_their_order_and_formulas():
    made = translate.template("{} of {} in $x^{2}$ {mu}", "{1} / {0}: {mu}, $x^{2}$")
    match = made.pattern.fullmatch("a of b in $x^{2}$ 0.5")
    assert made.fill(match, str.upper) == "B / A: 0.5, $x^{2}$"


def test_names_given_by_users_are_not_translated():
    translate.set_language("ru")
    assert translate.translate("ball") == "шар"
    for name in ("ball", "slope"):
        translate.mark_as_personal(name)
    translate.set_names(("ball", "slope", "Karl"), ("hinge of the door",))
    assert translate.translate("ball") == "ball" and translate.translate("normal from slope") == "нормальная сила от slope"
    assert translate.translate("ball, xz plane") == "ball, плоскость xz" and translate.translate("Karl speed") == "Karl: скорость"
    assert translate.label("ball").split("###")[0] == "шар", "a control is no body"
    translate.set_names((), ())
    assert translate.translate("ball") == "шар"
    translate._given.clear()


def test_names_of_scenes_are_shown_in_the_language():
    translate.set_language("ru")
    translate.set_names(("box 0.5 mu", "wall +1 -2", "slope"), ("hinge",))
    for english, russian in {
            "slope": "склон", "box 0.5 mu": "ящик 0.5 μ", "wall +1 -2": "стена +1 -2", "slope and hinge": "склон и петля",
            "slope - box 0.5 mu": "склон – ящик 0.5 μ", "normal from slope": "нормальная сила от «склон»",
            "box 0.5 mu speed": "ящик 0.5 μ: скорость", "box 0.5 mu something": "box 0.5 mu something",
            "normal from slope, 4 contacts": "нормальная сила от «склон», контактов: 4", "slope, xz plane": "склон, плоскость xz",
            "slope - box 0.5 mu: holds": "склон – ящик 0.5 μ: держит", "slope z [m]": "склон z [m]",
            "belt of equal friction": "лента с равным трением", "held, pushed left #0": "удержан, толкают влево #0"}.items():
        assert translate.translate(english) == russian
    quoted_once = "у шарнира «петля» есть привод или пружина"
    assert translate.translate("joint 'hinge' has a motor or a spring") == quoted_once


@pytest.mark.parametrize("code", OTHERS)
def test_every_name_of_our_scenes_has_a_translation(code):
    import scenes
    from physics import World

    known, wanted = dict(translate.read(translate.FOLDER / "names" / f"{code}.po")), set()
    for scene in scenes.all_scenes().values():
        world = World()
        scene.build(world, scene.parameters())
        wanted |= {translate.unnumbered(name) for name in (*world.body_names, *world.joint_names) if name}
    assert wanted <= known.keys(), sorted(wanted - known.keys())
    for name, said in known.items():
        assert name.count("{}") == said.count("{}"), name
    print(f"{code}: {len(wanted)} names; in no scene: {sorted(known.keys() - wanted)}")


def test_explanations_are_translated_as_whole_sentences(code):
    for english in ("It moves at 1 m/s and turns at 3 rad/s and slows down: the net force is 3 N, an acceleration of 2 m/s².",
                    "friction from floor drives it with 3 N (of 4 N).", "gravity resists with 2.5 N.",
                    "Friction with floor is at its bound at its only contact: μ = 0.5 allows 3 N, 4 N would be needed to "
                    "hold it.",
                    "Two steps. The first stops the penetration: λ = 1 N s leaves v = −gap/h = −0.5 m/s. "
                    "The second causes the rebound: λ = 1 N s, v = 0.4 m/s."):
        said = translate.translate(english)
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
    for end, counted in (("converged", "sweeps"), ("iteration limit", "sweeps"), ("budget", "sweeps"), ("fixed", "sweeps"),
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
    assert font.is_glyph_in_font(ord("摩")) and len(imgui.get_io().fonts.sources) == fonts.SOURCES + 1


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
