in vec3 world;
in vec2 plane;
flat in vec3 normal;
flat in float main_floor;
uniform sampler2D open_map;
out vec4 colour;

// How much of a pixel is covered by lines of the given width [cells], one every cell; fades to its mean when too dense.
float lines(vec2 p, vec2 footprint, float width) {
    vec2 least = max(vec2(width), footprint * max(drawn.x, 1.0));
    vec2 soft = footprint * 1.2;
    vec2 away = abs(fract(p - 0.5) - 0.5);
    vec2 on = 1.0 - smoothstep(least * 0.5 - soft * 0.5, least * 0.5 + soft * 0.5, away);
    on *= clamp(width / least, 0.0, 1.0) * 0.4 + 0.6 * step(least, vec2(1.0));
    on *= mix(vec2(min(drawn.x, 1.0)), vec2(1.0), clamp(width / footprint - 1.0, 0.0, 1.0));   // a coarse pixel's line is wider: fainter, then
    on = mix(on, vec2(width), clamp(footprint * 2.5 - 0.5, 0.0, 1.0));
    return max(on.x, on.y);
}

float openness() {   // what bodies close above leave of the light of the sky
    vec2 p = (floor_matrix * vec4(world, 1.0)).xy, edge = min(p, 1.0 - p);
    float there = floor_light.w * main_floor * smoothstep(0.0, 0.05, min(edge.x, edge.y));
    return 1.0 - 0.85 * there * (1.0 - textureLod(open_map, p, 0.0).r);
}

void main() {
    vec3 to_eye = eye.xyz - world;
    vec3 v = normalize(to_eye);
    float above = dot(v, normal);
    vec2 cell = plane / grid.x;
    vec2 footprint = fwidth(cell);
    float fine = lines(cell, footprint, 0.012) * grid.y;
    float coarse = lines(cell / 10.0, footprint / 10.0, 0.0022);
    vec2 axis_px = abs(plane) / max(fwidth(plane), 1e-9);
    float axis = min(drawn.x, 1.0) * (1.0 - smoothstep(0.6, 1.6, min(axis_px.x, axis_px.y) / max(drawn.x, 1.0)));

    float away = length(world - focus.xyz);
    float far2 = away * away / (focus.w * focus.w);
    float near = exp(-2.5 * far2);
    vec3 base = mix(ground.rgb, line.rgb, clamp(0.42 * fine + 0.62 * coarse + 0.55 * axis, 0.0, 0.9) * near);

    float lambert = max(dot(normal, sun.xyz), 0.0);
    float lit = mix(1.0, sunlight(world, normal), shadow.z);
    float near_bodies = nearness(), open = openness() * mix(1.0, near_bodies, 0.7);
    lit *= mix(1.0, near_bodies, 0.5);
    // The theme's ground colour is what fully lit floor looks like.
    vec3 full = 0.55 * sun_colour.rgb * max(sun.z, 0.05) + 0.62 * sky_light.rgb;
    vec3 light = 0.55 * sun_colour.rgb * lambert * lit + 0.62 * mix(bounce.rgb, sky_light.rgb, 0.5 + 0.5 * normal.z) * open;
    vec3 c = base * light / full;
    c *= 0.95 + 0.13 * near * near;
    c = mix(sky(-v), c, exp(-1.6 * far2));
    float alpha = above > 0.0 ? 1.0 : 0.18 * near + 0.5 * clamp(coarse + fine, 0.0, 1.0) * near;
    colour = vec4(encode(c, gl_FragCoord.xy), alpha);
}
