# Makes a small world of its own out of read-only mounts and three folders, and
# runs every line that comes in there. Arguments: the root to build on, and the
# folder with `bin`, `home`, `tmp` and `io`.
set -eu
root=$1 parts=$2
mount -t tmpfs -o mode=755 tmpfs "$root"
show() {
  mkdir -p "$root$2"
  mount --rbind "$1" "$root$2"
  mount -o "remount,bind,$3" "$root$2"
}
mkdir -p "$root/dev" "$root/proc" "$root/etc" "$root/real" "$root/usr/local"
# The programs that the stand-ins pass on to. Nothing finds them by itself.
show /usr /real/usr ro
[ -L /bin ] || show /bin /real/bin ro
for folder in /lib /lib32 /lib64 /usr/lib /usr/lib32 /usr/lib64 /usr/libexec /usr/local/lib /usr/local/libexec /usr/share/git-core; do
  if [ -d "$folder" ]; then show "$folder" "$folder" ro; fi
done
for file in /etc/ld.so.cache /dev/null /dev/zero /dev/urandom; do
  if [ -e "$file" ]; then
    : > "$root$file"
    mount --bind "$file" "$root$file"
  fi
done
ln -s /proc/self/fd "$root/dev/fd"
ln -s /proc/self/fd/0 "$root/dev/stdin"
ln -s /proc/self/fd/1 "$root/dev/stdout"
ln -s /proc/self/fd/2 "$root/dev/stderr"
mount -t proc proc "$root/proc" 2> /dev/null || mount --rbind /proc "$root/proc"
# A copy, because a program that somebody still has open for writing cannot be
# started, and whoever forks at the same time has.
mkdir -p "$root/usr/bin"
cp -a "$parts/bin/." "$root/usr/bin"
for other in /bin /sbin /usr/sbin /usr/local/bin; do ln -s /usr/bin "$root$other"; done
show "$parts/home" /home/user rw
show "$parts/tmp" /tmp rw
# Each by itself, so that no line can remove one.
mkdir "$root/io"
for name in done log out; do
  : > "$root/io/$name"
  mount --bind "$parts/io/$name" "$root/io/$name"
done
mount -o remount,ro "$root"
cd /
exec chroot "$root" /real/usr/bin/setpriv --bounding-set=-all --inh-caps=-all --no-new-privs \
  "/real$BASH_REAL" --noprofile --norc -c '
shopt -s expand_aliases
set --
unset OLDPWD
FUNCNEST=6
ulimit -t 2 -f 512 -n 300 -c 0 -v 1048576
while IFS= read -r -d "" __attacked; do
  (
    exec 250> /io/done
    cd /home/user/proj || exit
    [ -z "$ZSH_REAL" ] || exec "/real$ZSH_REAL" -f -c -- "$__attacked"
    eval "$__attacked"
  ) < /dev/null > /io/out 2>&1
done'
