in float across;
flat in float half_width;
flat in vec4 colour_in;
uniform float opacity;
out vec4 colour;
void main() {
    float alpha = clamp(half_width + 0.5 - abs(across), 0.0, 1.0) * colour_in.a * opacity;
    if (alpha < 0.01) discard;
    colour = vec4(colour_in.rgb, alpha);
}
