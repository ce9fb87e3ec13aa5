in vec3 normal;
flat in vec4 colour_in;
uniform float opacity;
out vec4 colour;
void main() {
    float light = 0.86 + 0.16 * dot(normalize(normal), normalize(up.xyz - 0.5 * right.xyz - 0.8 * forward.xyz));
    colour = vec4(colour_in.rgb * light, colour_in.a * opacity);
}
