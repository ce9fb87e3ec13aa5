"""The GUI: Dear ImGui drawn over the scene. `build_gui(session)` makes it, `Gui.draw(dt)` draws one picture of it."""
