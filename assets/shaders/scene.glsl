// Shared by all programs: what is the same for a whole picture (packed by app/render/uniforms.py in this order).
layout(std140) uniform Scene {
    mat4 view_projection;
    mat4 view;
    mat4 sun_matrix;      // world to the shadow map, 0 .. 1
    mat4 floor_matrix;    // world to the height map seen from below the floor, 0 .. 1
    vec4 eye;             // xyz [m]; w: width of a pixel at one metre of depth
    vec4 lens;            // tan(fov / 2) * aspect, tan(fov / 2), width, height [px]
    vec4 right;           // axes of the picture, world
    vec4 up;
    vec4 forward;
    vec4 focus;           // target of the camera; w: distance at which the floor has faded [m]
    vec4 floor_plane;     // unit normal, offset; w of floor_light tells whether there is one
    vec4 floor_light;     // x: reach of the contact darkening [m]; y: range of the height map [m]; z: texel in uv; w: 1 if on
    vec4 shadow;          // x: texel in uv; y: texel [m]; z: strength; w: 1 if on
    vec4 sun;             // unit, towards the sun; w: depth range of the map [m]
    vec4 sun_colour;      // linear
    vec4 sky_light;
    vec4 bounce;
    vec4 zenith;
    vec4 horizon;
    vec4 ground;
    vec4 line;
    vec4 outline;
    vec4 contour;         // w: 1 in the dark theme
    vec4 grid;            // x: cell [m]; y: how much of the finer grid is seen, 0 .. 1; z: 1 in a flat picture; w: distance of its target [m]
    vec4 taps;            // samples: x: search for casters; y: of the shadow; z: of the height map; w: of nearness, 0: none
    vec4 depths;          // x, y: depth 0 .. 1 to metres (below); z: 1 in a flat picture; w: reach of nearness [m]
    vec4 drawn;           // x: pixels drawn for each pixel shown, along a side; y: width of the pattern of nearness
};

vec3 sky(vec3 ray) {
    float t = 1.0 - exp(-4.5 * max(ray.z, 0.0));
    vec3 colour = mix(horizon.rgb, zenith.rgb, t);
    return mix(colour, 0.45 * ground.rgb, 0.8 * (1.0 - exp(1.6 * min(ray.z, 0.0))));
}

vec3 rotate(vec4 q, vec3 v) {   // q: w, x, y, z
    vec3 t = 2.0 * cross(q.yzw, v);
    return v + q.x * t + cross(q.yzw, t);
}

vec2 next(vec2 d) {   // turned by the golden angle: directions that spread evenly over the disc
    return vec2(-0.73736888 * d.x - 0.67549029 * d.y, 0.67549029 * d.x - 0.73736888 * d.y);
}

float ring(int i, int n) { return sqrt((float(i) + 0.5) / float(n)); }

float metres(float depth) {   // along the view, from where the picture begins
    float z = 2.0 * depth - 1.0;
    return depths.z > 0.5 ? (depths.y - z) / depths.x : depths.y / (z + depths.x);
}

float alike(float a, float b) {   // 1 for depths of one surface, nearly 0 for those of two [m]
    return max(1.0 - abs(a - b) / (0.3 * depths.w), 0.001);
}

float grain(vec2 pixel) {   // interleaved gradient noise, 0 .. 1
    return fract(52.9829189 * fract(dot(pixel, vec2(0.06711056, 0.00583715))));
}

vec3 encode(vec3 linear_light, vec2 pixel) {   // soft shoulder, sRGB, dither against banding
    vec3 c = max(linear_light, 0.0);
    vec3 over = max(c - 0.7, 0.0);
    c = min(c, 0.7) + 0.3 * (1.0 - exp(-over / 0.3));
    vec3 r = sqrt(c), q = sqrt(r), e = sqrt(q);   // within 0.011 of the sRGB curve, without pow
    vec3 s = max(0.585122381 * r + 0.783140355 * q - 0.368262736 * e, 0.0);
    return s + (grain(pixel) - 0.5) / 255.0;
}
