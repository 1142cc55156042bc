// SPDX-License-Identifier: Apache-2.0
import Times

/// Which sound device, and how it is to be opened.
public struct PCMParameters: Sendable, Hashable {
    /// How a sample lies in memory; both little-endian.
    public enum Format: Sendable, Hashable {
        /// 16 bits.
        case s16
        /// 32 bits, of which the upper 16 are kept: I2S microphones fill the slot from the top.
        case s32
    }

    /// Who says when frames are due.
    public enum Pacing: Sendable, Hashable {
        /// The sound card, by its crystal.
        case byHardware
        /// CLOCK_MONOTONIC: for devices that deliver as fast as they are asked (the `file` and `null` plugins).
        case byClock
    }

    /// ALSA's name, best a stable one such as `hw:CARD=mic`; not `default`, which resamples.
    public var device: String
    /// Configuration text in which `device` is defined; nil for the machine's own.
    public var configuration: String?
    /// Frames per second.
    public var rate: Int
    /// Channels as the device has them.
    public var channels: Int
    /// Which channel is kept, from 0; the other slot of an I2S microphone is noise.
    public var channel: Int
    /// How samples lie in memory.
    public var format: Format
    /// How often the device wakes us.
    public var period: Duration
    /// How long the reader may be away before frames are lost.
    public var buffer: Duration
    /// Who paces.
    public var pacing: Pacing

    /// Parameters; period and buffer default to what an unattended recording wants.
    public init(
        device: String, configuration: String? = nil, rate: Int, channels: Int = 1, channel: Int = 0,
        format: Format = .s16, period: Duration = .milliseconds(100), buffer: Duration = .seconds(2),
        pacing: Pacing = .byHardware
    ) {
        self.device = device
        self.configuration = configuration
        self.rate = rate
        self.channels = channels
        self.channel = channel
        self.format = format
        self.period = period
        self.buffer = buffer
        self.pacing = pacing
    }

    /// Numbers that no device can have; nil when they make sense.
    var flaw: String? {
        if !(1000...768_000).contains(rate) { return "set \(rate) Hz" }
        if !(1...64).contains(channels) { return "set \(channels) channels" }
        if !(0..<channels).contains(channel) { return "keep channel \(channel) of \(channels), counted from 0" }
        if period <= .zero || buffer < period || buffer > .seconds(60) {
            return "set period \(period), buffer \(buffer)"
        }
        return nil
    }

    /// Bytes of one sample of one channel.
    public var bytesPerSample: Int { format == .s16 ? 2 : 4 }
    /// Bytes of one frame of all channels.
    public var bytesPerFrame: Int { bytesPerSample * channels }
    /// Whole frames in a stretch of time.
    public func frames(in time: Duration) -> Int { Int((time.seconds * Double(rate)).rounded(.down)) }
    /// How long so many frames last.
    public func time(of frames: Int) -> Duration {
        .nanoseconds(Int64((Double(frames) * 1e9 / Double(rate)).rounded()))
    }
}
