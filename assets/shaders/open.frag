// What of the sky's light reaches the floor beside and below bodies, over the whole of the height map.
uniform sampler2D height_map;
in vec2 at;
out vec4 colour;
void main() {
    int n = int(taps.z);
    float taken = 0.0;
    vec2 d = vec2(1.0, 0.0);
    for (int i = 0; i < n; i++) {
        float r = ring(i, n);
        float h = textureLod(height_map, at + r * floor_light.z * d, 0.0).r * 1.1 - 0.1;   // of the range; 1: nothing above
        float gap = max(h, 0.0) * floor_light.y / floor_light.x;
        taken += step(h, 0.99) * (1.15 - r) / (1.0 + 6.0 * gap * gap) / float(n);
        d = next(d);
    }
    colour = vec4(1.0 - min(taken / 0.48, 1.0));
}
