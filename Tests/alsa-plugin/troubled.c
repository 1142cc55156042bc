// SPDX-License-Identifier: Apache-2.0
// A sound card for alsa-lib that behaves as a script says, for tests: it stands below the real
// libasound, so that states, error numbers and recovery are the library's own. Built by the
// test that uses it:
//     cc -shared -fPIC -DPIC troubled.c -o libtroubled.so -lasound
//
// The script is a file of 64-bit numbers that both sides map. Time is the script's too: it goes on
// only with frames given or lost, so that a gap's length is known exactly.
#include <alsa/asoundlib.h>
#include <alsa/pcm_external.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

enum { TIME, STEP, STEPS, OPENS, PREPARES, STARTS, RESUMES, STOPS, CLOSES, FRAMES, LEFT, SCRIPT = 16, WORDS = 512 };

// What a step does: kind, frames, and a number of its own.
//   PACED      frames in real time, for ever
//   GIVE       frames, as soon as they are waited for
//   XRUN       the buffer has run over; frames are lost
//   SUSPEND    the machine sleeps for so many frames; resuming leaves it asleep so often (alsa-lib 1.2.8 drops what a
//              plugin's resume returns, so that the state is all it can tell)
//   UNPLUG     the card is gone for so many frames
//   REFUSE     opening fails with that error number, once for each "frame"
//   HANG       nothing is given until the card is closed; frames are lost meanwhile
enum { PACED, GIVE, XRUN, SUSPEND, UNPLUG, REFUSE, HANG };

struct card {
    snd_pcm_ioplug_t io;
    volatile int64_t *word;
    int event, output;
    int may_give;
    uint64_t produced;
};

static volatile int64_t *step(struct card *card) { return card->word + SCRIPT + 3 * card->word[STEP]; }

static int64_t kind(struct card *card) { return card->word[STEP] < card->word[STEPS] ? step(card)[0] : PACED; }

static void next(struct card *card) {
    card->word[STEP]++;
    card->word[LEFT] = kind(card) == PACED ? 0 : step(card)[1];
}

static void pass(struct card *card, int64_t frames) {
    card->word[FRAMES] += frames;
    card->word[TIME] += frames * 1000000000 / (card->io.rate ? card->io.rate : 16000);
}

static void fail(struct card *card, snd_pcm_state_t state) { snd_pcm_ioplug_set_state(&card->io, state); }

// Frames that were given and not read yet.
static uint64_t unread(snd_pcm_ioplug_t *io) {
    return io->stream == SND_PCM_STREAM_CAPTURE ? snd_pcm_ioplug_avail(io, io->hw_ptr, io->appl_ptr) : 0;
}

// What happens now instead of frames; only when all that was given has been read.
static int interrupted(struct card *card) {
    if (unread(&card->io) > 0) return 0;
    switch (kind(card)) {
    case XRUN:
        pass(card, step(card)[1]);
        next(card);
        fail(card, SND_PCM_STATE_XRUN);
        return -EPIPE;
    case SUSPEND:
        if (card->io.state != SND_PCM_STATE_SUSPENDED) pass(card, step(card)[1]);
        fail(card, SND_PCM_STATE_SUSPENDED);
        return -ESTRPIPE;
    case UNPLUG:
        pass(card, step(card)[1]);
        next(card);
        fail(card, SND_PCM_STATE_DISCONNECTED);
        return -ENODEV;
    default: return 0;
    }
}

static void give(struct card *card) {
    snd_pcm_ioplug_t *io = &card->io;
    uint64_t waiting = unread(io);
    int64_t count = io->period_size;
    if (io->stream == SND_PCM_STREAM_PLAYBACK && (uint64_t)count > io->appl_ptr - card->produced)
        count = io->appl_ptr - card->produced;
    if (kind(card) == PACED) {
        usleep(count * 1000000 / io->rate);
    } else {
        if (count > card->word[LEFT]) count = card->word[LEFT];
        card->word[LEFT] -= count;
    }
    if (io->stream == SND_PCM_STREAM_CAPTURE && waiting + count > io->buffer_size) count = io->buffer_size - waiting;
    card->produced += count;
    if (io->stream == SND_PCM_STREAM_PLAYBACK) pass(card, count);
    else card->word[TIME] += count * 1000000000 / io->rate;
    if (kind(card) == GIVE && card->word[LEFT] == 0) next(card);
}

static snd_pcm_sframes_t card_pointer(snd_pcm_ioplug_t *io) {
    struct card *card = io->private_data;
    if (io->state == SND_PCM_STATE_RUNNING || io->state == SND_PCM_STATE_DRAINING) {
        int wants = card->may_give || (io->stream == SND_PCM_STREAM_PLAYBACK && card->produced < io->appl_ptr);
        if (wants && (kind(card) == GIVE || kind(card) == PACED)) {
            card->may_give = 0;
            give(card);
        } else {
            int error = interrupted(card);
            if (error == -EPIPE) return error;
        }
    }
    return card->produced % io->buffer_size;
}

static int card_start(snd_pcm_ioplug_t *io) {
    struct card *card = io->private_data;
    card->word[STARTS]++;
    return 0;
}

static int card_stop(snd_pcm_ioplug_t *io) {
    struct card *card = io->private_data;
    card->word[STOPS]++;
    return 0;
}

static int card_prepare(snd_pcm_ioplug_t *io) {
    struct card *card = io->private_data;
    card->word[PREPARES]++;
    if (kind(card) == UNPLUG) return interrupted(card);
    card->produced = 0;
    if (kind(card) == SUSPEND) next(card);
    return 0;
}

static int card_resume(snd_pcm_ioplug_t *io) {
    struct card *card = io->private_data;
    card->word[RESUMES]++;
    if (kind(card) != SUSPEND) return 0;
    if (step(card)[2]-- > 0) return -EAGAIN;
    next(card);
    fail(card, SND_PCM_STATE_RUNNING);
    return 0;
}

static int card_close(snd_pcm_ioplug_t *io) {
    struct card *card = io->private_data;
    if (kind(card) == HANG) {
        pass(card, step(card)[1]);
        next(card);
    }
    card->word[CLOSES]++;
    munmap((void *)card->word, WORDS * sizeof(int64_t));
    close(card->event);
    if (card->output >= 0) close(card->output);
    free(card);
    return 0;
}

static int card_revents(snd_pcm_ioplug_t *io, struct pollfd *fds, unsigned count, unsigned short *events) {
    struct card *card = io->private_data;
    (void)count;
    *events = 0;
    if (!(fds[0].revents & POLLIN)) return 0;
    if (kind(card) == GIVE || kind(card) == PACED) {
        card->may_give = 1;
        *events = io->stream == SND_PCM_STREAM_CAPTURE ? POLLIN : POLLOUT;
    } else if (interrupted(card) < 0) {
        *events = POLLERR;
    }
    return 0;
}

// A hanging card's descriptor never becomes readable.
static int card_descriptors(snd_pcm_ioplug_t *io, struct pollfd *fds, unsigned space) {
    struct card *card = io->private_data;
    if (space < 1) return 0;
    fds[0].fd = card->event;
    fds[0].events = kind(card) == HANG ? 0 : POLLIN;
    fds[0].revents = 0;
    return 1;
}

static int card_descriptor_count(snd_pcm_ioplug_t *io) {
    (void)io;
    return 1;
}

// The k-th frame since the beginning: 7919k − 12345 in the first channel, 1 in the others, the
// lowest bits noise.
static void fill(struct card *card, char *to, unsigned channel, uint64_t frame) {
    int16_t value = channel ? 1 : (int16_t)(frame * 7919 - 12345);
    int32_t wide = (int32_t)value * 65536;
    switch (card->io.format) {
    case SND_PCM_FORMAT_S16_LE: memcpy(to, &value, 2); break;
    case SND_PCM_FORMAT_S24_LE: wide = (wide >> 8) ^ (int32_t)0xAA000000; memcpy(to, &wide, 4); break;
    case SND_PCM_FORMAT_S24_3LE: wide >>= 8; memcpy(to, &wide, 3); break;
    default: wide |= 0x55; memcpy(to, &wide, 4); break;
    }
}

static snd_pcm_sframes_t card_transfer(snd_pcm_ioplug_t *io, const snd_pcm_channel_area_t *areas,
                                       snd_pcm_uframes_t offset, snd_pcm_uframes_t size) {
    struct card *card = io->private_data;
    int error = io->stream == SND_PCM_STREAM_PLAYBACK && io->state == SND_PCM_STATE_RUNNING ? interrupted(card) : 0;
    if (error) return error;
    for (snd_pcm_uframes_t frame = 0; frame < size; frame++) {
        for (unsigned channel = 0; channel < io->channels; channel++) {
            const snd_pcm_channel_area_t *area = areas + channel;
            char *place = (char *)area->addr + (area->first + (offset + frame) * area->step) / 8;
            if (io->stream == SND_PCM_STREAM_CAPTURE) fill(card, place, channel, card->word[FRAMES]);
            else if (write(card->output, place, snd_pcm_format_physical_width(io->format) / 8) < 0) return -EIO;
        }
        if (io->stream == SND_PCM_STREAM_CAPTURE) card->word[FRAMES]++;
    }
    return size;
}

static const snd_pcm_ioplug_callback_t callbacks = {
    .start = card_start,
    .stop = card_stop,
    .pointer = card_pointer,
    .transfer = card_transfer,
    .close = card_close,
    .prepare = card_prepare,
    .resume = card_resume,
    .poll_descriptors_count = card_descriptor_count,
    .poll_descriptors = card_descriptors,
    .poll_revents = card_revents,
};

// What the card offers: all, unless its configuration names one rate, a number of
// channels, a format or the bytes of its buffer.
static int limit(snd_pcm_ioplug_t *io, long rate, long channels, const char *format, long buffer) {
    static const unsigned access[] = {SND_PCM_ACCESS_RW_INTERLEAVED};
    unsigned formats[] = {SND_PCM_FORMAT_S16_LE, SND_PCM_FORMAT_S24_LE, SND_PCM_FORMAT_S24_3LE, SND_PCM_FORMAT_S32_LE};
    unsigned count = 4;
    if (format) {
        formats[0] = snd_pcm_format_value(format);
        count = 1;
    }
    int error = snd_pcm_ioplug_set_param_list(io, SND_PCM_IOPLUG_HW_ACCESS, 1, access);
    if (!error) error = snd_pcm_ioplug_set_param_list(io, SND_PCM_IOPLUG_HW_FORMAT, count, formats);
    if (!error)
        error = snd_pcm_ioplug_set_param_minmax(io, SND_PCM_IOPLUG_HW_CHANNELS, channels ? channels : 1,
                                                channels ? channels : 8);
    if (!error)
        error = snd_pcm_ioplug_set_param_minmax(io, SND_PCM_IOPLUG_HW_RATE, rate ? rate : 4000, rate ? rate : 192000);
    if (!error) error = snd_pcm_ioplug_set_param_minmax(io, SND_PCM_IOPLUG_HW_PERIOD_BYTES, 64, 1 << 20);
    if (!error)
        error = snd_pcm_ioplug_set_param_minmax(io, SND_PCM_IOPLUG_HW_BUFFER_BYTES, buffer ? buffer : 128,
                                                buffer ? buffer : 1 << 22);
    return error;
}

// A step REFUSE meets whoever opens.
static int refused(volatile int64_t *word) {
    if (word[STEP] >= word[STEPS]) return 0;
    volatile int64_t *step = word + SCRIPT + 3 * word[STEP];
    if (step[0] != REFUSE) return 0;
    int error = (int)step[2];
    if (--word[LEFT] <= 0) {
        word[STEP]++;
        word[LEFT] = word[STEP] < word[STEPS] ? word[SCRIPT + 3 * word[STEP] + 1] : 0;
    }
    return -error;
}

SND_PCM_PLUGIN_DEFINE_FUNC(troubled) {
    const char *script = NULL, *output = NULL, *format = NULL;
    long rate = 0, channels = 0, buffer = 0;
    snd_config_iterator_t i, following;
    (void)root;
    snd_config_for_each(i, following, conf) {
        snd_config_t *entry = snd_config_iterator_entry(i);
        const char *id;
        if (snd_config_get_id(entry, &id) < 0) continue;
        if (!strcmp(id, "script")) snd_config_get_string(entry, &script);
        if (!strcmp(id, "output")) snd_config_get_string(entry, &output);
        if (!strcmp(id, "format")) snd_config_get_string(entry, &format);
        if (!strcmp(id, "rate")) snd_config_get_integer(entry, &rate);
        if (!strcmp(id, "channels")) snd_config_get_integer(entry, &channels);
        if (!strcmp(id, "buffer")) snd_config_get_integer(entry, &buffer);
    }
    int fd = script ? open(script, O_RDWR | O_CLOEXEC) : -1;
    if (fd < 0) return -EINVAL;
    volatile int64_t *word = mmap(NULL, WORDS * sizeof(int64_t), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (word == MAP_FAILED) return -ENOMEM;
    word[OPENS]++;
    int error = refused(word);
    struct card *card = error ? NULL : calloc(1, sizeof *card);
    if (!card) {
        munmap((void *)word, WORDS * sizeof(int64_t));
        return error ? error : -ENOMEM;
    }
    card->word = word;
    card->event = eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK);
    card->output = output ? open(output, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : -1;
    card->io.version = SND_PCM_IOPLUG_VERSION;
    card->io.name = "troubled card";
    card->io.callback = &callbacks;
    card->io.private_data = card;
    card->io.poll_fd = card->event;
    card->io.poll_events = POLLIN;
    error = snd_pcm_ioplug_create(&card->io, name, stream, mode);
    if (error < 0) {
        free(card);
        return error;
    }
    error = limit(&card->io, rate, channels, format, buffer);
    if (error < 0) {
        snd_pcm_ioplug_delete(&card->io);
        return error;
    }
    *pcmp = card->io.pcm;
    return 0;
}
SND_PCM_PLUGIN_SYMBOL(troubled)
