# CPU utilisation by a processor's own clock ticks, and by the kernel's idle time.
said=yes
check "utilisation: unhalted ticks and idle time agree" emulation_agreement --stand-in
said=
