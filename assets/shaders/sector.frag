in vec2 at;
flat in float whole, solid;
flat in vec4 colour_in;
uniform float opacity;
out vec4 colour;
void main() {
    vec2 px = vec2(min(at.x, 1.0 - at.x), 1.0 - at.y) / (fwidth(at) + 1e-6);
    float rim = 1.0 - smoothstep(0.8, 1.8, px.y);
    float side = (1.0 - smoothstep(0.8, 1.8, px.x)) * (1.0 - whole);
    float alpha = mix(max(0.16, 0.9 * max(rim, side)), 1.0, solid);   // rings are full, discs a tint with edges
    colour = vec4(colour_in.rgb, alpha * colour_in.a * opacity);
}
