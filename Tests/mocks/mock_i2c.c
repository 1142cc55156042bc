// SPDX-License-Identifier: Apache-2.0
// I2C adapters made of software below the kernel's own calls: loaded into a test process together
// with umockdev's preload library, it answers ioctl(2) on /dev/i2c-7 (plain I2C), /dev/i2c-8 (SMBus
// with I2C blocks) and /dev/i2c-9 (SMBus, bytes and words). Chips and faults are told apart by
// address; see `byte_read`.
#include <errno.h>
#include <linux/i2c-dev.h>
#include <linux/i2c.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <umockdev.h>
#include <unistd.h>

enum { FIRST = 7, BUSES = 3, TRANSFERS = 1024 };

static struct bus {
    char path[32];
    unsigned long functions, address, timeout, retries, opened;
    UMockdevIoctlBase *handler;
    int gone, leaving;
} buses[BUSES] = {
    {.functions = I2C_FUNC_I2C | I2C_FUNC_SMBUS_EMUL},
    {.functions = I2C_FUNC_SMBUS_BYTE | I2C_FUNC_SMBUS_BYTE_DATA | I2C_FUNC_SMBUS_WORD_DATA | I2C_FUNC_SMBUS_I2C_BLOCK},
    {.functions = I2C_FUNC_SMBUS_BYTE | I2C_FUNC_SMBUS_BYTE_DATA | I2C_FUNC_SMBUS_WORD_DATA},
};
static UMockdevTestbed *bed;
static uint8_t registers[256];   // of 0x1e: ordinary registers
static unsigned fifo;            // of 0x18 and 0x68: bytes handed out so far
static uint8_t pointer;          // the sub-address; one transaction at a time
static char calls[TRANSFERS][24];
static unsigned call_count;
static UMockdevIoctlClient *held;

static void note(const char *kind, unsigned address, unsigned length) {
    if (call_count < TRANSFERS) snprintf(calls[call_count++], sizeof calls[0], "%s %02x %u", kind, address, length);
}

// What the kernel would say of a transfer with this address.
static int fault(const struct bus *bus, unsigned address) {
    if (bus->gone) return EIO;  // what i2c-tiny-usb says once its cable is out
    if (bus->leaving) return ENODEV;
    switch (address) {
    case 0x18: case 0x1e: case 0x68: return 0;
    case 0x51: return EREMOTEIO;
    case 0x52: return EAGAIN;
    case 0x54: return ETIMEDOUT;
    case 0x55: return EIO;
    case 0x57: return ENODEV;  // what i2c-stub says of a chip that it does not have
    default: return ENXIO;
    }
}

static uint8_t byte_read(unsigned address) {
    switch (address) {
    case 0x18:  // a FIFO of records of 6 bytes behind registers 0x28...0x2d, counting up when bit 7 is set
        if ((pointer & 0x7f) < 0x28 || (pointer & 0x7f) > 0x2d) return 0xee;
        {
            unsigned place = (pointer & 0x7f) - 0x28u;
            uint8_t value = (uint8_t)(fifo * 6 + place);
            if (place == 5) fifo++;
            pointer = place == 5 ? 0xa8 : (uint8_t)(pointer + 1);
            return value;
        }
    case 0x68: return pointer == 0x74 ? (uint8_t)fifo++ : 0xee;  // a FIFO port: the register does not count up
    default: return registers[pointer++];
    }
}

static void byte_write(unsigned address, const uint8_t *bytes, unsigned length) {
    if (length > 0) pointer = bytes[0];
    if (address != 0x1e) return;
    for (unsigned i = 1; i < length; i++) registers[pointer++] = bytes[i];
}

static int transfer(struct bus *bus, UMockdevIoctlData *argument) {
    UMockdevIoctlData *request = umockdev_ioctl_data_resolve(argument, 0, sizeof(struct i2c_rdwr_ioctl_data), NULL);
    unsigned count = ((struct i2c_rdwr_ioctl_data *)request->data)->nmsgs;
    UMockdevIoctlData *messages = umockdev_ioctl_data_resolve(request, 0, count * sizeof(struct i2c_msg), NULL);
    int result = (int)count;
    for (unsigned i = 0; i < count; i++) {
        struct i2c_msg *message = (struct i2c_msg *)messages->data + i;
        note(message->flags & I2C_M_RD ? "read" : "write", message->addr, message->len);
        int failure = fault(bus, message->addr);
        if (failure) {
            result = -failure;
            break;
        }
        UMockdevIoctlData *buffer = umockdev_ioctl_data_resolve(
            messages, i * sizeof(struct i2c_msg) + offsetof(struct i2c_msg, buf), message->len, NULL);
        if (message->flags & I2C_M_RD) {
            uint8_t bytes[8192];
            for (unsigned n = 0; n < message->len; n++) bytes[n] = byte_read(message->addr);
            umockdev_ioctl_data_update(buffer, 0, bytes, message->len);
        } else {
            byte_write(message->addr, buffer->data, message->len);
        }
    }
    return result;
}

static int smbus(struct bus *bus, UMockdevIoctlData *argument) {
    UMockdevIoctlData *request = umockdev_ioctl_data_resolve(argument, 0, sizeof(struct i2c_smbus_ioctl_data), NULL);
    struct i2c_smbus_ioctl_data *call = (struct i2c_smbus_ioctl_data *)request->data;
    UMockdevIoctlData *data = NULL;
    union i2c_smbus_data *value = NULL;
    if (call->data) {
        data = umockdev_ioctl_data_resolve(request, offsetof(struct i2c_smbus_ioctl_data, data), sizeof *value, NULL);
        value = (union i2c_smbus_data *)data->data;
    }
    unsigned length = call->size == I2C_SMBUS_BYTE || call->size == I2C_SMBUS_BYTE_DATA ? 1
                      : call->size == I2C_SMBUS_WORD_DATA                             ? 2
                      : value                                                         ? value->block[0]
                                                                                      : 0;
    if (call->size == I2C_SMBUS_I2C_BLOCK_BROKEN) length = 32;
    note(call->read_write == I2C_SMBUS_READ ? "smbus-read" : "smbus-write", (unsigned)bus->address, length);
    if (bus->leaving) return -EOPNOTSUPP;
    int is_block = call->size == I2C_SMBUS_I2C_BLOCK_DATA || call->size == I2C_SMBUS_I2C_BLOCK_BROKEN;
    if (is_block && !(bus->functions & I2C_FUNC_SMBUS_READ_I2C_BLOCK)) return -EOPNOTSUPP;
    if (length > 32) return -EINVAL;
    int failure = fault(bus, (unsigned)bus->address);
    if (failure) return -failure;
    if (call->read_write == I2C_SMBUS_READ) {
        if (call->size != I2C_SMBUS_BYTE) pointer = call->command;
        for (unsigned i = 0; i < length; i++) {
            uint8_t byte = byte_read((unsigned)bus->address);
            if (is_block) value->block[i + 1] = byte;
            else if (call->size == I2C_SMBUS_WORD_DATA) value->word = i ? (uint16_t)(value->word | byte << 8) : byte;
            else value->byte = byte;
        }
        if (is_block) value->block[0] = (uint8_t)length;
        umockdev_ioctl_data_update(data, 0, (guint8 *)value, sizeof *value);
    } else {
        uint8_t bytes[34] = {call->command};
        if (is_block) memcpy(bytes + 1, value->block + 1, length);
        else if (call->size == I2C_SMBUS_WORD_DATA) bytes[1] = (uint8_t)value->word, bytes[2] = (uint8_t)(value->word >> 8);
        else if (call->size == I2C_SMBUS_BYTE_DATA) bytes[1] = value->byte;
        byte_write((unsigned)bus->address, bytes, call->size == I2C_SMBUS_BYTE ? 1 : length + 1);
    }
    return 0;
}

static gboolean answer(UMockdevIoctlBase *handler, UMockdevIoctlClient *client, gpointer context) {
    (void)handler;
    struct bus *bus = context;
    UMockdevIoctlData *argument = umockdev_ioctl_client_get_arg(client);
    unsigned long number = *(unsigned long *)argument->data;
    int result = 0;
    switch (umockdev_ioctl_client_get_request(client)) {
    case I2C_FUNCS: {
        // i2c-tiny-usb asks the cable, and answers 0 where that does not answer (usb_func of
        // drivers/i2c/busses/i2c-tiny-usb.c).
        unsigned long known = bus->leaving ? 0 : bus->functions;
        UMockdevIoctlData *functions = umockdev_ioctl_data_resolve(argument, 0, sizeof known, NULL);
        umockdev_ioctl_data_update(functions, 0, (guint8 *)&known, sizeof known);
        bus->opened++;
        break;
    }
    case I2C_SLAVE:
        note("address", (unsigned)number, 0);
        if (number == 0x56) result = -EBUSY;  // a driver of the kernel owns it
        else bus->address = number;
        break;
    case I2C_TIMEOUT: bus->timeout = number; break;
    case I2C_RETRIES: bus->retries = number; break;
    case I2C_RDWR:
        if (bus->address == 0x53) {  // a slave that holds the clock: the call ends when `mock_i2c_release` says so
            held = g_object_ref(client);
            return TRUE;
        }
        result = bus->functions & I2C_FUNC_I2C ? transfer(bus, argument) : -EOPNOTSUPP; break;
    case I2C_SMBUS: result = smbus(bus, argument); break;
    default: result = -ENOTTY;
    }
    umockdev_ioctl_client_complete(client, result < 0 ? -1 : result, result < 0 ? -result : 0);
    return TRUE;
}

static void plug_in(struct bus *bus) {
    int number = FIRST + (int)(bus - buses);
    char description[256];
    snprintf(bus->path, sizeof bus->path, "/dev/i2c-%d", number);
    snprintf(description, sizeof description, "P: /devices/mock/i2c-%d\nN: i2c-%d\nE: SUBSYSTEM=i2c-dev\nE: DEVNAME=%s\n", number,
             number, bus->path);
    GError *error = NULL;
    bus->gone = 0;
    if (!umockdev_testbed_add_from_string(bed, description, &error) ||
        !umockdev_testbed_attach_ioctl(bed, bus->path, bus->handler, &error)) {
        fprintf(stderr, "mock_i2c: %s\n", error->message);
        exit(70);
    }
}

// Answers come from a thread of their own, because the test's thread is the one that asks.
static GMainContext *context;

static void *serve(void *loop) {
    g_main_context_push_thread_default(context);
    g_main_loop_run(loop);
    return NULL;
}

// Takes an adapter's device file away or puts it back. What still holds it open is answered with
// errors meanwhile.
void mock_i2c_plug(int number, int plugged) {
    struct bus *bus = &buses[number - FIRST];
    char node[256], aside[264];
    char *root = umockdev_testbed_get_root_dir(bed);
    snprintf(node, sizeof node, "%s%s", root, bus->path);
    snprintf(aside, sizeof aside, "%s.out", node);
    g_free(root);
    bus->gone = !plugged;
    bus->leaving = 0;
    if (rename(plugged ? aside : node, plugged ? node : aside) != 0) exit(71);
}

// Its cable is out, and the kernel has not taken its device file away yet.
void mock_i2c_leave(int number) { buses[number - FIRST].leaving = 1; }

static gboolean release_now(gpointer unused) {
    (void)unused;
    if (!held) return TRUE;  // not yet asked: again
    umockdev_ioctl_client_complete(held, -1, ETIMEDOUT);
    g_clear_object(&held);
    return FALSE;
}

// Ends the call to 0x53 that hangs, as the adapter's time-out would.
void mock_i2c_release(void) {
    GSource *source = g_timeout_source_new(1);
    g_source_set_callback(source, release_now, NULL, NULL);
    g_source_attach(source, context);
    g_source_unref(source);
}

// The calls since the last `mock_i2c_reset`, as "kind address length"; NULL after the last.
const char *mock_i2c_call(unsigned index) { return index < call_count ? calls[index] : NULL; }

void mock_i2c_reset(void) {
    call_count = 0;
    fifo = 0;
    for (unsigned i = 0; i < sizeof registers; i++) registers[i] = (uint8_t)(0xff - i);
}

unsigned long mock_i2c_timeout(int number) { return buses[number - FIRST].timeout; }
unsigned long mock_i2c_retries(int number) { return buses[number - FIRST].retries; }

__attribute__((constructor)) static void start(void) {
    context = g_main_context_new();
    g_main_context_push_thread_default(context);
    bed = umockdev_testbed_new();
    for (int i = 0; i < BUSES; i++) {
        buses[i].handler = umockdev_ioctl_base_new();
        g_signal_connect(buses[i].handler, "handle-ioctl", G_CALLBACK(answer), &buses[i]);
        plug_in(&buses[i]);
    }
    g_main_context_pop_thread_default(context);
    mock_i2c_reset();
    pthread_t thread;
    pthread_create(&thread, NULL, serve, g_main_loop_new(context, FALSE));
}

__attribute__((destructor)) static void stop(void) { g_object_unref(bed); }
