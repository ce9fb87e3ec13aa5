// How much of the sky is left where other surfaces are near, from depths alone (McGuire et al. 2012, Scalable Ambient
// Obscurance): samples around a pixel in a spiral, turned in a pattern that soften.frag takes out. r: what is left; g: depth [m].
uniform sampler2D scene_depth;
in vec2 at;
out vec4 colour;

vec3 place(vec2 uv, float depth) {   // right, up, forward [m]
    float wide = depths.z > 0.5 ? 1000.0 * grid.w : depth;
    return vec3((2.0 * uv - 1.0) * lens.xy * wide, depth);
}

vec3 seen(vec2 uv) { return place(uv, metres(textureLod(scene_depth, uv, 0.0).r)); }

void main() {
    vec2 size = vec2(textureSize(scene_depth, 0)), texel = 1.0 / size;
    vec3 p = seen(at), west = seen(at - vec2(texel.x, 0.0)), east = seen(at + vec2(texel.x, 0.0));
    vec3 south = seen(at - vec2(0.0, texel.y)), north = seen(at + vec2(0.0, texel.y));
    // A crack of one pixel, as between boxes side by side, is seen in some pixels only: it would be a row of spots.
    p = place(at, min(p.z, min(max(west.z, east.z), max(south.z, north.z))));
    vec3 l = p - west, r = east - p, b = p - south, t = north - p;
    vec3 n = normalize(cross(abs(b.z) < abs(t.z) ? b : t, abs(l.z) < abs(r.z) ? l : r));
    float reach = depths.w, wide = depths.z > 0.5 ? 1000.0 * grid.w : p.z;
    float pixels = min(0.5 * size.y * reach / (lens.y * wide), 0.16 * size.y);
    int many = pixels > 0.7 ? int(taps.w) : 0;
    ivec2 cell = ivec2(gl_FragCoord.xy) % int(drawn.y);
    float turn = float(cell.x + int(drawn.y) * cell.y) / (drawn.y * drawn.y);
    float angle = 6.2831853 * fract(turn * 0.61803399 * drawn.y * drawn.y), sum = 0.0;
    vec2 d = vec2(cos(angle), sin(angle));
    float least = 0.06 * reach + 0.002 * p.z;
    for (int i = 0; i < many; i++) {
        float away = (float(i) + fract(turn + 0.5 / (drawn.y * drawn.y))) / float(many);
        vec3 v = seen(at + d * max(away * pixels, 1.0) * texel) - p;
        float vv = dot(v, v), f = max(1.0 - vv / (reach * reach), 0.0);
        sum += f * f * max(dot(v, n) - least, 0.0) / (vv + 0.02 * reach * reach);
        d = next(d);
    }
    float left = many > 0 ? 1.0 / (1.0 + 4.0 * reach * sum / float(many)) : 1.0;
    colour = vec4(left, p.z, 0.0, 1.0);
}
