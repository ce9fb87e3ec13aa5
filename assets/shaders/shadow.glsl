// How much of the sun reaches a point: soft edges that widen with the distance of what casts them.
uniform sampler2DShadow sun_map;
uniform sampler2D sun_depth;

vec2 spiral(int i, int n) {   // evenly spread over the unit disc
    float r = sqrt((float(i) + 0.5) / float(n));
    float a = 2.39996323 * float(i);
    return r * vec2(cos(a), sin(a));
}

float sunlight(vec3 world, vec3 normal) {
    if (shadow.w < 0.5) return 1.0;
    float slope = 1.0 - max(dot(normal, sun.xyz), 0.0);
    vec3 moved = world + normal * shadow.y * (0.8 + 2.0 * slope);
    vec3 p = (sun_matrix * vec4(moved, 1.0)).xyz;
    vec2 edge = min(p.xy, 1.0 - p.xy);
    if (min(edge.x, edge.y) <= 0.0 || p.z >= 1.0) return 1.0;
    float blocked = 0.0, depth = 0.0;
    for (int i = 0; i < 10; i++) {
        float d = texture(sun_depth, p.xy + spiral(i, 10) * shadow.x * 9.0).r;
        if (d < p.z - 0.0004) { blocked += 1.0; depth += d; }
    }
    if (blocked < 0.5) return 1.0;
    float away = (p.z - depth / blocked) * sun.w;            // metres between caster and receiver
    float radius = clamp(away * 0.055 / shadow.y, 1.4, 9.0); // texels
    float bias = 0.35 * radius * shadow.y / sun.w * (0.4 + 2.0 * slope);
    float lit = 0.0;
    for (int i = 0; i < 20; i++)
        lit += texture(sun_map, vec3(p.xy + spiral(i, 20) * shadow.x * radius, p.z - bias));
    lit /= 20.0;
    return mix(1.0, lit, smoothstep(0.0, 0.04, min(edge.x, edge.y)));
}
