// A line around what is white in the mask, drawn whether something is in front or not.
uniform sampler2D mask;
uniform float corner_x, corner_y, thick;
out vec4 colour;
void main() {
    vec2 texel = 1.0 / lens.zw;
    vec2 at = (gl_FragCoord.xy - vec2(corner_x, corner_y)) * texel;
    float inside = textureLod(mask, at, 0.0).r, most = 0.0;
    vec2 d = vec2(1.0, 0.0);
    for (int i = 0; i < 16; i++) {
        most = max(most, textureLod(mask, at + d * texel * thick, 0.0).r);
        d = vec2(0.92387953 * d.x - 0.38268343 * d.y, 0.38268343 * d.x + 0.92387953 * d.y);
    }
    float alpha = most * (1.0 - inside);
    if (alpha < 0.01) discard;
    colour = vec4(encode(outline.rgb, gl_FragCoord.xy), alpha);
}
