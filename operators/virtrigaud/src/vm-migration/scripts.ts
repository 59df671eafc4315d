// What the Jobs of migrations run (3.3): two programs for a POSIX shell, always the same text. Names come to them as arguments, never as
// part of the text, and each is looked at once more where it is used.

/** What is staged is not what was exported, or is not there: it has to be exported again. */
export const badStaged = 3;

/**
 * FOLDER RESULT FROM FORMAT TO FORMAT [CHECKSUM]: converts FROM to TO, both in FOLDER, and writes the checksum and the size of what came
 * of it to RESULT. An image that refers to another file, on the claim or at an address, is refused: its bytes would become the guest's.
 * With CHECKSUM what is read is held against it, and what was written against what was read. TO is there when it is whole.
 */
export const convertScript = `set -eu
umask 007
cd "$1"
refuse() { echo "$1" >&2; exit ${badStaged}; }
{ [ -f "$3" ] && [ ! -L "$3" ]; } || refuse "the staged disk $3 is not there"
if [ -n "$7" ]; then
  found=$(sha256sum <"$3")
  [ "\${found%% *}" = "$7" ] || refuse "checksum mismatch: the staged disk $3 is not the one that was exported"
fi
about=$(qemu-img info --output=json -f "$4" "./$3")
case $about in *'"backing-filename":'* | *'"data-file":'*) refuse "the staged disk $3 refers to another file" ;; esac
if [ "$4" = vmdk ]; then
  others=$(printf '%s\\n' "$about" | grep '"filename":' | grep -cvF "\\"filename\\": \\"./$3\\"" || :)
  [ "$others" = 0 ] || refuse "the staged disk $3 refers to another file"
fi
options=
[ "$6" != vmdk ] || options='-o subformat=streamOptimized'
qemu-img convert -t writeback -f "$4" -O "$6" $options "./$3" "./$5.part"
[ -z "$7" ] || qemu-img compare -q -f "$4" -F "$6" "./$3" "./$5.part" || { echo "the converted disk is not equal" >&2; exit 1; }
found=$(sha256sum <"$5.part")
chmod 660 "$5.part"
size=$(($(wc -c <"$5.part")))
mv -f "./$5.part" "./$5"
printf '{"checksum":"%s","size":%s}' "\${found%% *}" "$size" >"$2"
`;

/**
 * CLAIM FOLDER FILE...: removes files, and what was left of writing them, from a folder of the claim, and the folder if nothing else is
 * in it. A folder that is reached through a link is somebody else's, and is not touched.
 */
export const removeScript = `set -eu
cd "$1"
claim=$(pwd -P)
folder=$2
shift 2
[ -e "$claim/$folder" ] || exit 0
cd "$claim/$folder"
[ "$(pwd -P)" = "$claim/$folder" ] || { echo "$folder is reached through a link" >&2; exit 1; }
for file in "$@"; do
  case $file in '' | */* | .* | -*) echo "$file is no name of a staged disk" >&2; exit 1 ;; esac
  rm -f "./$file" "./$file.part"
done
cd "$claim"
rmdir "./$folder" 2>/dev/null || :
`;
