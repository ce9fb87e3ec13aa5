in vec2 at;
flat in vec4 colour_in;
flat in float shape, pixels;
uniform float opacity;
out vec4 colour;

float distance_to(vec2 p, float r) {
    if (shape < 0.5) return abs(length(p) - 0.72 * r) - 0.17 * r;                    // ring
    if (shape < 1.5) { vec2 d = abs(p) - 0.66 * r; return length(max(d, 0.0)) + min(max(d.x, d.y), 0.0) - 0.1 * r; }
    if (shape < 2.5) {                                                              // arrow head with a notch, points along +x
        p.y = abs(p.y);
        vec2 n = normalize(vec2(0.78, 1.75));
        float outer = dot(p - vec2(1.0 * r, 0.0), n);
        vec2 m = normalize(vec2(-1.0, 0.62));
        float back = dot(p - vec2(-0.32 * r, 0.0), m);
        return max(outer, back);
    }
    if (shape < 3.5) return length(p) - 0.62 * r;                                   // disc
    if (shape < 4.5) return min(length(p) - 0.36 * r, abs(length(p) - 0.82 * r) - 0.12 * r);   // ringed disc
    if (shape < 5.5) return abs(length(p) - 0.92 * r) - 1.1;                        // halo
    float circle = length(p) - 0.9 * r;                                             // quartered disc, as on crash tests
    return min(abs(circle) - 0.8, max(circle, -p.x * p.y / (0.2 * r)));
}

void main() {
    float d = distance_to(at, pixels);
    float fill = clamp(0.5 - d, 0.0, 1.0);
    float rim = clamp(1.7 - d, 0.0, 1.0) * 0.75 * opacity;
    float alpha = max(fill, rim) * colour_in.a * opacity;
    if (alpha < 0.01) discard;
    colour = vec4(mix(contour.rgb, colour_in.rgb, fill), alpha);
}
