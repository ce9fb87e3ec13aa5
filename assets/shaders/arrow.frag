in vec3 normal;
in float before_head;
flat in vec4 colour_in;
flat in float broken;
uniform float opacity;
out vec4 colour;
void main() {
    float light = 0.86 + 0.16 * dot(normalize(normal), normalize(up.xyz - 0.5 * right.xyz - 0.8 * forward.xyz));
    float gap = broken > 0.5 && abs(abs(before_head - 4.0) - 1.6) < 0.8 ? 0.0 : 1.0;   // two gaps: it goes on
    colour = vec4(colour_in.rgb * light, colour_in.a * opacity * gap);
}
