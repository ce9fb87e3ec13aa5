// A body where it was, or will be: lit softly, seen through; its faces do not hide one another's edges.
in vec3 world, local, normal_world, normal_local;
flat in vec4 colour_in, size_in, turn_in;
flat in float flags;   // here the opacity
out vec4 colour;
void main() {
    vec3 n = normalize(normal_world), v = normalize(eye.xyz - world);
    float rim = pow(1.0 - abs(dot(n, v)), 2.0);
    vec3 light = 0.55 * sun_colour.rgb * max(dot(n, sun.xyz), 0.0) + 0.6 * mix(bounce.rgb, sky_light.rgb, 0.5 + 0.5 * n.z);
    colour = vec4(encode(colour_in.rgb * light, gl_FragCoord.xy), flags * (0.75 + 0.5 * rim));
}
