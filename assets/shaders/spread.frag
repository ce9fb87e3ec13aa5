// A picture drawn at another resolution, with its depths, so that marks and arrows can be drawn over it in full.
uniform sampler2D picture, picture_depth;
in vec2 at;
out vec4 colour;
void main() {
    colour = textureLod(picture, at, 0.0);
    gl_FragDepth = textureLod(picture_depth, at, 0.0).r;
}
