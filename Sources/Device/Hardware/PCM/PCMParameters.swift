// SPDX-License-Identifier: Apache-2.0
import Base

/// Which sound device, and how it is to be opened. The board file's microphone and loudspeaker are each
/// described by one.
package struct PCMParameters: Sendable, Hashable {
    /// Who says when frames are due.
    package enum Pacing: Sendable, Hashable {
        /// The sound card, by its crystal.
        case byHardware
        /// CLOCK_MONOTONIC: for devices that deliver as fast as they are asked (the `file` and
        /// `null` plugins).
        case byClock
    }

    /// ALSA's name, best a stable one such as `hw:CARD=mic`; not `default`, which resamples.
    package var device: String
    /// Configuration text in which `device` is defined; nil for the machine's own.
    package var configuration: String?
    /// Frames per second that are wanted. A card that only records at 2 to 12 times that is opened
    /// there, and a low-pass in the program brings it down: 48 kHz to 16 kHz.
    package var rate: Int
    /// Channels that are asked for. A card that cannot have so few is opened with the next
    /// higher number that it can.
    package var channels: Int
    /// Which channel is kept, from 0; the other slot of an I2S microphone is noise.
    package var channel: Int
    /// How samples lie in memory, preferably; a card that cannot is opened in the
    /// widest format it has.
    package var format: Format
    /// How many bits from the top of a sample carry sound (INMP441 24, SPH0645 18 of 32); what lies
    /// below is cleared. Nil = all.
    package var validBits: Int?
    /// Corner of a second-order high-pass in Hz that takes out a microphone's constant offset; nil
    /// = none. 10 to 20 Hz for the SPH0645.
    package var highPass: Double?
    /// How much is thrown away after each opening, and counted as lost: the start-up thump. Half a
    /// second for I2S microphones.
    package var settling: Duration
    /// How often the device wakes us; as rarely as its buffer allows, because frames carry
    /// their own times.
    package var period: Duration
    /// How long the reader may be away before frames are lost.
    package var buffer: Duration
    package var pacing: Pacing

    /// Parameters; period and buffer default to what an unattended recording wants.
    package init(
        device: String, configuration: String? = nil, rate: Int, channels: Int = 1, channel: Int = 0,
        format: Format = .s16, validBits: Int? = nil, highPass: Double? = nil, settling: Duration = .zero,
        period: Duration = .milliseconds(500), buffer: Duration = .seconds(2), pacing: Pacing = .byHardware
    ) {
        self.device = device
        self.configuration = configuration
        self.rate = rate
        self.channels = channels
        self.channel = channel
        self.format = format
        self.validBits = validBits
        self.highPass = highPass
        self.settling = settling
        self.period = period
        self.buffer = buffer
        self.pacing = pacing
    }

    /// What no device can do, as the operation of a `PCMError`; nil when the numbers make sense.
    package var flaw: String? {
        if !(1000...768_000).contains(rate) { return "set \(rate) Hz" }
        if !(1...64).contains(channels) { return "set \(channels) channels" }
        if !(0..<channels).contains(channel) { return "keep channel \(channel) of \(channels), counted from 0" }
        if period <= .zero || buffer < period || buffer > .seconds(60) {
            return "set period \(period), buffer \(buffer)"
        }
        if let validBits, !(8...format.bits).contains(validBits) {
            return "keep \(validBits) bits of \(format.rawValue); 8 to \(format.bits) are possible"
        }
        if let highPass, !(highPass >= 1 && highPass <= Double(rate) / 8) { return "set a high-pass at \(highPass) Hz" }
        if settling < .zero || settling > .seconds(10) { return "skip the first \(settling)" }
        return nil
    }

    /// Whole frames in a stretch of time.
    package func frames(in time: Duration) -> Int { Int((time.seconds * Double(rate)).rounded(.down)) }
    package func time(of frames: Int) -> Duration {
        .nanoseconds(Int64((Double(frames) * 1e9 / Double(rate)).rounded()))
    }
}
