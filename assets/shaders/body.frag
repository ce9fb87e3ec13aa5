in vec3 world, local, normal_world, normal_local;
flat in vec4 colour_in, size_in, turn_in;
flat in float flags;
out vec4 colour;

// Flat faces get the normals of slightly rounded edges: the light catches them, the silhouette stays exact.
vec3 rounded(out float edge) {
    vec3 dims = size_in.xyz;
    float least = min(dims.x, min(dims.y, dims.z));
    float width = min(0.12 * least, 0.02 * (dims.x + dims.y + dims.z));
    float pixel = eye.w * dot(world - eye.xyz, forward.xyz);
    width = max(width, min(1.2 * pixel, 0.3 * least));
    vec3 inner = clamp(local, -(dims - width), dims - width);
    vec3 n = local - inner;
    edge = clamp((length(n) / width - 1.0) / 0.41, 0.0, 1.0);
    return rotate(turn_in, normalize(n + 1e-6 * normal_local));
}

void main() {
    float edge = 0.0;
    bool box = size_in.w > 0.5 && size_in.w < 1.5;
    vec3 n = box ? rounded(edge) : normalize(normal_world);
    vec3 v = normalize(eye.xyz - world);
    vec3 base = colour_in.rgb;
    if (!box && colour_in.w > 0.5) {   // two quiet tones, so that rolling can be seen
        vec3 m = local / size_in.x;
        float s = m.x * m.y;
        float w = fwidth(s) + 1e-4;
        base *= mix(1.0, 0.76, smoothstep(-w, w, s));
    }
    float lambert = max(dot(n, sun.xyz), 0.0);
    float lit = mix(1.0, sunlight(world, normalize(normal_world)), shadow.z);
    vec3 ambient = mix(bounce.rgb, sky_light.rgb, 0.5 + 0.5 * n.z);
    float open = 1.0;
    if (floor_light.w > 0.5) {   // darker near the floor, most on faces that look down
        float h = dot(world, floor_plane.xyz) - floor_plane.w;
        float down = 0.5 - 0.5 * dot(n, floor_plane.xyz);
        open = 1.0 - (0.08 + 0.40 * down) * exp(-2.5 * max(h, 0.0) / floor_light.x);
    }
    float near_others = nearness();
    open *= near_others * sqrt(near_others);
    lit *= mix(1.0, near_others, 0.7);
    vec3 light = 0.50 * sun_colour.rgb * lambert * lit + 0.56 * ambient * open;
    vec3 c = base * light;
    vec3 h = normalize(v + sun.xyz);
    float gloss = pow(max(dot(n, h), 0.0), 48.0);
    c += 0.16 * gloss * lit * lambert * sun_colour.rgb;
    float rim = pow(1.0 - max(dot(n, v), 0.0), 4.0);
    c += 0.22 * rim * open * mix(horizon.rgb, sky_light.rgb * 0.4, 0.5);
    c += 0.05 * edge * light;
    if (mod(flags, 2.0) > 0.5) c = mix(c, outline.rgb, 0.06 + 0.25 * rim);
    if (flags > 1.5) c = mix(c, vec3(1.0), 0.07);
    colour = vec4(encode(c, gl_FragCoord.xy), 1.0);
}
