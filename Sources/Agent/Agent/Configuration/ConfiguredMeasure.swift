// SPDX-License-Identifier: Apache-2.0
import Base
import Device

/// What the configuration asks to be measured, and how it is recorded: a table `[[measure]]` of `studyd.toml`.
package struct ConfiguredMeasure: Sendable, Hashable {
    package enum Activity: String, Sendable, CaseIterable {
        /// While the agent runs, enrolled or not.
        case always
        /// While a study is enrolled.
        case enrolled
    }

    /// What is measured; each kind at most once.
    package let channel: MeasureKind
    /// Samples per second asked of the chip.
    package let rate: Double
    /// False where the file names no rate: a chip that does not have this one is then
    /// asked for its own.
    package var isRateAsked = true
    /// Not measured, and no mistake, on a board that has nothing for it.
    package var isOptional = false
    /// Full scale in the channel's unit; nil = the driver's own choice.
    package let range: Double?
    /// Where on the body the device is worn, as the study calls it:
    /// `left wrist`; nil = not said.
    package var bodyLocation: String?
    /// False: sample by sample, where the chip's FIFO keeps fewer bits than the chip measures.
    package let usesFIFO: Bool
    package let activity: Activity
    /// The file it is written to; not every kind can be written to every format.
    package let format: RecordingFormat
    /// How long a file grows before the next one is begun.
    package let rotation: Duration
    /// A gap of this length ends the file.
    package var longestGap = usualLongestGap
    /// How often levels in one-third-octave bands are written, in seconds; nil = never.
    /// Sound levels only.
    package let thirdOctaves: Int?
    /// Where the file does not say otherwise.
    static let (usualRotation, usualLongestGap) = (Duration.seconds(3600), Duration.seconds(60))

    package init(
        channel: MeasureKind, rate: Double, range: Double?, activity: Activity, format: RecordingFormat,
        rotation: Duration, thirdOctaves: Int? = nil, usesFIFO: Bool = true
    ) {
        (self.channel, self.rate, self.range) = (channel, rate, range)
        (self.activity, self.format, self.rotation) = (activity, format, rotation)
        (self.thirdOctaves, self.usesFIFO) = (thirdOctaves, usesFIFO)
    }
}

extension ConfiguredMeasure {
    init(_ table: ConfigTable) throws {
        let kind = try table.required("channel", table.choice("channel", MeasureKind.self))
        guard kind != .features else {
            throw table.error("channel", "features are computed, not measured", remedy: "use the table [features]")
        }
        channel = kind
        let asked = try table.number("rate", in: 0.1...192_000)
        rate = asked ?? Self.defaultRate(of: kind)
        isRateAsked = asked != nil
        isOptional = try table.boolean("optional") ?? false
        range = try table.number("range", in: 0.1...100_000)
        usesFIFO = try table.boolean("fifo") ?? true
        activity = try table.choice("when", Activity.self) ?? .enrolled
        let formatName = try Self.formatName(table, kind)
        format = try table.required("format", RecordingFormats.standard.format(formatName, for: kind))
        rotation =
            try table.duration("rotate", .seconds(10) ... .seconds(86_400), "from 10s to 24h") ?? Self.usualRotation
        bodyLocation = try Self.bodyLocation(table)
        longestGap =
            try table.duration("longest_gap", .seconds(1) ... .seconds(86_400), "from 1s to 24h")
            ?? Self.usualLongestGap
        thirdOctaves = try table.integer("third_octaves", in: 1...10)
        guard thirdOctaves == nil || format == .levels else {
            throw table.error(
                "third_octaves", "\(kind.rawValue) as \(formatName) has no levels", remedy: "remove it")
        }
    }

    /// At `body_location` of a measure, or of the whole file.
    static func bodyLocation(_ table: ConfigTable) throws -> String? {
        guard let text = try table.string("body_location") else { return nil }
        let isPlain = text.unicodeScalars.allSatisfy { $0.value >= 32 && $0.value != 127 }
        guard !text.isEmpty, text.utf8.count <= 40, isPlain else {
            throw table.error(
                "body_location", "'\(text)' is not a place name of 1 to 40 characters; use e.g. left wrist")
        }
        return text
    }

    private static func formatName(_ table: ConfigTable, _ kind: MeasureKind) throws -> String {
        let (all, own) = (RecordingFormats.standard.names, RecordingFormats.standard.names(for: kind))
        guard let name = try table.string("format") else { return own.first ?? "" }
        guard all.contains(name) else {
            throw table.error("format", "'\(name)' is not one of: \(all.joined(separator: ", "))")
        }
        guard own.contains(name) else {
            let names = own.joined(separator: " or ")
            throw table.error("format", "\(kind.rawValue) is written as \(names), not \(name)")
        }
        return name
    }

    private static func defaultRate(of kind: MeasureKind) -> Double {
        switch kind {
        case .accelerometer, .gyroscope: 100
        case .magnetometer: 20
        case .sound: 16_000
        case .position, .buttons, .features: 1
        }
    }
}
