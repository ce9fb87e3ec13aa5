// Takes the pattern out of what near.frag found: the mean over one pattern, of like depths. The two darkest do not count: what
// single pixels find in a crack would else be spots.
uniform sampler2D near_map;
out vec4 colour;
void main() {
    ivec2 here = ivec2(gl_FragCoord.xy), last = textureSize(near_map, 0) - 1;
    int n = int(drawn.y);
    vec2 own = texelFetch(near_map, here, 0).rg;
    vec2 darkest = vec2(2.0, 0.0), second = darkest;      // (what is left, weight)
    float sum = 0.0, all = 0.0;
    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++) {
            vec2 seen = texelFetch(near_map, clamp(here + ivec2(x, y) - n / 2, ivec2(0), last), 0).rg;
            vec2 one = vec2(seen.r, alike(seen.g, own.g));
            sum += one.y * one.x;
            all += one.y;
            second = one.x < darkest.x ? darkest : one.x < second.x ? one : second;
            darkest = one.x < darkest.x ? one : darkest;
        }
    sum -= darkest.y * darkest.x + second.y * second.x;
    all -= darkest.y + second.y;
    colour = vec4(all > 0.5 ? sum / all : own.r, own.g, 0.0, 1.0);
}
