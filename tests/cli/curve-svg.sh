# A picture that an XML parser takes.
$hlg curve --svg curve.svg
$hlg curve --svg - | cmp - curve.svg
python3 -c '
import xml.dom.minidom
print(xml.dom.minidom.parse("curve.svg").documentElement.tagName)'
