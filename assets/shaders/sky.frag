in vec3 ray;
out vec4 colour;
void main() { colour = vec4(encode(sky(normalize(ray)), gl_FragCoord.xy), 1.0); }
