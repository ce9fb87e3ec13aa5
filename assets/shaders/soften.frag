// Takes the pattern out of what near.frag found: the mean over one pattern, of like depths.
uniform sampler2D near_map;
out vec4 colour;
void main() {
    ivec2 here = ivec2(gl_FragCoord.xy), last = textureSize(near_map, 0) - 1;
    int n = int(drawn.y);
    vec2 own = texelFetch(near_map, here, 0).rg;
    float sum = 0.0, all = 0.0;
    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++) {
            vec2 seen = texelFetch(near_map, clamp(here + ivec2(x, y) - n / 2, ivec2(0), last), 0).rg;
            float weight = alike(seen.g, own.g);
            sum += weight * seen.r;
            all += weight;
        }
    colour = vec4(sum / all, own.g, 0.0, 1.0);
}
