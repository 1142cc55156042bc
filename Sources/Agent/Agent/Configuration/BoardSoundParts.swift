// SPDX-License-Identifier: Apache-2.0
import Base
import Device

/// What records and plays sound.
extension BoardDescription {
    /// Which slot of an I2S frame a microphone fills, by its pin L/R or SEL; the raw value is the
    /// `channel` of board files.
    package enum Slot: String, Sendable, CaseIterable {
        case left, right
    }
    /// A sound card's capture stream.
    package struct Microphone: Sendable, Hashable {
        /// ALSA's name of it: `hw:CARD=mic`, or `simulated`.
        package let device: String
        /// Frames per second asked for.
        package let rate: Int
        package let format: PCMParameters.Format
        /// Bits that carry sound, from the top of the sample: 24 of an INMP441, 18 of an
        /// SPH0645; nil = all.
        package let validBits: Int?
        /// Channels of the stream; I2S has two whatever is connected.
        package let channels: Int
        /// The one that is kept.
        package let slot: Slot
        /// Frequencies below this, in hertz, and a constant offset are removed from what is kept;
        /// nil = nothing is.
        package let highPass: Double?
        /// How much is discarded after each opening: the thump with which a microphone starts.
        package let settling: Duration
        /// Decibel to be added to dBFS for dB SPL; 0 = uncalibrated, levels are
        /// relative to full scale.
        package let calibration: Double
    }
    /// A sound card's playback stream.
    package struct Loudspeaker: Sendable, Hashable {
        /// ALSA's name of it: `plughw:CARD=…`, or `simulated`.
        package let device: String
        /// Frames per second of the sounds that are made for it.
        package let rate: Int
    }
}

extension BoardDescription.Microphone {
    init(_ table: ConfigTable) throws {
        device = try table.required("device", table.string("device"))
        rate = try table.integer("rate", in: 8000...192_000) ?? 16_000
        format = try table.choice("format", PCMParameters.Format.self) ?? .s16
        validBits = try table.integer("valid_bits", in: 8...32)
        channels = try table.integer("channels", in: 1...2) ?? 1
        let side = try table.choice("channel", BoardDescription.Slot.self)
        slot = side ?? .left
        highPass = try table.number("high_pass", in: 1...200)
        settling = try table.duration("settling", .zero ... .seconds(10), "of at most 10s, e.g. 500ms") ?? .zero
        calibration = try table.number("calibration", in: -200...200) ?? 0
        if let validBits, validBits > format.bits {
            throw table.error(
                "valid_bits", "\(validBits) does not fit into \(format.rawValue)", remedy: "set format = \"S32_LE\"")
        }
        guard channels == 2 || side != .right else {
            throw table.error("channel", "a single channel has no right side", remedy: "set channels = 2, or remove it")
        }
    }
}

extension BoardDescription.Loudspeaker {
    init(_ table: ConfigTable) throws {
        device = try table.required("device", table.string("device"))
        rate = try table.integer("rate", in: 8000...192_000) ?? 16_000
    }
}
