// SPDX-License-Identifier: Apache-2.0
// A joystick that the kernel takes for real (needs /dev/uinput): the Sense HAT's by default, or one
// of any other name.
//   cc -static -O1 -o uinput_joystick uinput_joystick.c          uinput_joystick ["Name of the device"]
// Prints `device /dev/input/eventN`, then obeys lines on its standard input, and prints after each
// what it did, with CLOCK_MONOTONIC in nanoseconds just before and just after:
//   press CODE | release CODE     one edge (105 left, 103 up, 106 right, 108 down, 28 the stick itself)
//   bounce CODE MILLISECONDS      pressed, released and pressed again every millisecond for so long; ends pressed
//   flood CODE COUNT              so many edges at once: more than 64 make the kernel drop some and say SYN_DROPPED
//   unplug                        the device goes; `plug` brings it back, perhaps under another number
#include <fcntl.h>
#include <linux/uinput.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include <dirent.h>

static const int codes[] = {KEY_LEFT, KEY_RIGHT, KEY_UP, KEY_DOWN, KEY_ENTER};

static long long now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void fail(const char *what) {
    perror(what);
    exit(1);
}

static void send(int device, int type, int code, int value) {
    struct input_event event = {.type = (unsigned short)type, .code = (unsigned short)code, .value = value};
    if (write(device, &event, sizeof event) != sizeof event) fail("write");
}

static void edge(int device, int code, int value) {
    send(device, EV_KEY, code, value);
    send(device, EV_SYN, SYN_REPORT, 0);
}

static int plug(const char *name) {
    int device = open("/dev/uinput", O_WRONLY | O_NONBLOCK);
    if (device < 0) fail("/dev/uinput");
    struct uinput_setup setup = {.id = {.bustype = BUS_I2C}};
    snprintf(setup.name, sizeof setup.name, "%s", name);
    if (ioctl(device, UI_SET_EVBIT, EV_KEY) < 0) fail("UI_SET_EVBIT");
    for (unsigned i = 0; i < sizeof codes / sizeof codes[0]; i++)
        if (ioctl(device, UI_SET_KEYBIT, codes[i]) < 0) fail("UI_SET_KEYBIT");
    if (ioctl(device, UI_DEV_SETUP, &setup) < 0 || ioctl(device, UI_DEV_CREATE) < 0) fail("UI_DEV_CREATE");
    char system_name[64], folder[128];
    if (ioctl(device, UI_GET_SYSNAME(sizeof system_name), system_name) < 0) fail("UI_GET_SYSNAME");
    snprintf(folder, sizeof folder, "/sys/devices/virtual/input/%s", system_name);
    DIR *entries = opendir(folder);
    for (struct dirent *entry; entries && (entry = readdir(entries));)
        if (strncmp(entry->d_name, "event", 5) == 0) printf("device /dev/input/%s\n", entry->d_name);
    if (entries) closedir(entries);
    return device;
}

int main(int count, char **arguments) {
    const char *name = count > 1 ? arguments[1] : "Raspberry Pi Sense HAT Joystick";
    setvbuf(stdout, NULL, _IOLBF, 0);
    int device = plug(name);
    char line[128], word[16];
    while (fgets(line, sizeof line, stdin)) {
        int code = 0, number = 0;
        if (sscanf(line, "%15s %d %d", word, &code, &number) < 1) continue;
        long long before = now();
        if (!strcmp(word, "press")) edge(device, code, 1);
        else if (!strcmp(word, "release")) edge(device, code, 0);
        else if (!strcmp(word, "flood")) {
            for (int i = 0; i < number; i++) edge(device, code, i % 2 == 0);
        } else if (!strcmp(word, "bounce")) {
            for (int i = 0; i <= number / 2 * 2; i++) {
                edge(device, code, i % 2 == 0);
                nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
            }
        } else if (!strcmp(word, "unplug")) {
            ioctl(device, UI_DEV_DESTROY);
            close(device);
        } else if (!strcmp(word, "plug")) {
            device = plug(name);
        } else {
            printf("unknown %s\n", word);
            continue;
        }
        printf("%s %d %lld %lld\n", word, code, before, now());
    }
    return 0;
}
