"""The GUI: Dear ImGui drawn over the scene. `build_gui(session)` creates it, `Gui.draw(dt)` draws one picture of it."""
