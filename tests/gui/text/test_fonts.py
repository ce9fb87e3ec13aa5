"""The font for Chinese, chosen among files of a system."""

from app.gui.text import fonts


def test_a_font_of_regular_weight_is_chosen(tmp_path, monkeypatch):
    """Of variable fonts the thinnest weight would be drawn."""
    monkeypatch.setattr(fonts, "FOLDERS", (tmp_path,))
    for names in (["wqy-zenhei.ttc"], ["NotoSansCJK[wght].ttc"], ["NotoSansCJK-Bold.ttc"], ["NotoSansCJK-Regular.ttc"]):
        for name in names:
            (tmp_path / name).touch()
        fonts.chinese.cache_clear()
        assert fonts.chinese() == tmp_path / names[-1]
    (tmp_path / "NotoSansCJK-VF.ttc").touch()
    fonts.chinese.cache_clear()
    assert fonts.chinese() == tmp_path / "NotoSansCJK-Regular.ttc"
    fonts.chinese.cache_clear()
