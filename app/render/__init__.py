"""Rendering with OpenGL 3.3. `renderer.Renderer` needs a current context; `place`, `theme` and `labels` need none."""
