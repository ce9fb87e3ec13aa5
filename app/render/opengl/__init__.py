"""OpenGL: buffers, shaders, textures, targets."""
