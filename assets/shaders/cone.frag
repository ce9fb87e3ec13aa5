in vec3 bary, world;
flat in vec4 colour_in;
flat in vec3 axis_in;
uniform float opacity;
uniform float round_cone;   // 1: no edges between the facets
out vec4 colour;
void main() {
    vec3 w = fwidth(bary) + 1e-6;
    vec3 px = bary / w;
    float rim = 1.0 - smoothstep(0.8, 1.8, px.x);
    float rib = (1.0 - smoothstep(0.6, 1.5, min(px.y, px.z))) * (1.0 - round_cone);
    vec3 n = normalize(cross(dFdx(world), dFdy(world)));
    float facing = abs(dot(n, normalize(eye.xyz - world)));
    float face = (0.10 + 0.16 * (1.0 - facing) * (1.0 - facing)) * (0.55 + 0.45 * (1.0 - bary.x));
    float alpha = max(face, max(0.95 * rim, 0.75 * rib));
    colour = vec4(colour_in.rgb * (0.85 + 0.15 * facing), alpha * colour_in.a * opacity);
}
