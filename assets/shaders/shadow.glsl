// How much of the sun reaches a point: soft edges that widen with the distance of what casts them.
// The loops have lengths known only at run time, 0 where there is nothing to do: software renderers skip those alone.
uniform sampler2DShadow sun_map;
uniform sampler2D sun_depth;

float sunlight(vec3 world, vec3 normal) {
    float facing = dot(normal, sun.xyz);
    float slope = 1.0 - max(facing, 0.0);
    vec3 moved = world + normal * shadow.y * (0.8 + 2.0 * slope);
    vec3 p = (sun_matrix * vec4(moved, 1.0)).xyz;
    vec2 edge = min(p.xy, 1.0 - p.xy);
    float inside = min(edge.x, edge.y);
    int n = (shadow.w > 0.5 && facing > 0.0 && inside > 0.0 && p.z < 1.0) ? int(taps.x) : 0;
    float blocked = 0.0, depth = 0.0, widest = min(9.0, 2.0 * sqrt(taps.y));   // [texels]; wider, and single samples show as copies
    vec2 d = vec2(1.0, 0.0);
    for (int i = 0; i < n; i++) {
        float z = textureLod(sun_depth, p.xy + ring(i, n) * shadow.x * widest * d, 0.0).r;
        float hit = step(z, p.z - 0.0004);
        blocked += hit;
        depth += hit * z;
        d = next(d);
    }
    float away = (p.z - depth / max(blocked, 1.0)) * sun.w;  // metres between caster and receiver
    float radius = clamp(away * 0.055 / shadow.y, 1.4, widest);
    float bias = 0.35 * radius * shadow.y / sun.w * (0.4 + 2.0 * slope);
    int m = blocked > 0.5 ? int(taps.y) : 0;
    float lit = m > 0 ? 0.0 : 1.0;
    for (int i = 0; i < m; i++) {
        lit += textureLod(sun_map, vec3(p.xy + ring(i, m) * shadow.x * radius * d, p.z - bias), 0.0) / float(m);
        d = next(d);
    }
    return mix(1.0, lit, smoothstep(0.0, 0.04, inside));
}

// What of the sky's light bodies that are near leave, as near.frag found it at half the resolution; of the same depth only.
uniform sampler2D near_map;

float nearness() {
    float depth = metres(gl_FragCoord.z);
    vec2 size = vec2(textureSize(near_map, 0));
    vec2 p = (gl_FragCoord.xy - drawn.zw) / lens.zw * size - 0.5;
    ivec2 first = ivec2(floor(p)), last = ivec2(size) - 1;
    vec2 part = p - floor(p);
    float sum = 0.0, all = 0.0;
    int n = taps.w > 0.5 ? 4 : 0;
    for (int k = 0; k < n; k++) {
        ivec2 step_ = ivec2(k & 1, k >> 1);
        vec2 seen = texelFetch(near_map, clamp(first + step_, ivec2(0), last), 0).rg;
        vec2 share = mix(1.0 - part, part, vec2(step_));
        float weight = (share.x * share.y + 0.01) * alike(seen.g, depth);
        sum += weight * seen.r;
        all += weight;
    }
    return n > 0 ? sum / all : 1.0;
}
