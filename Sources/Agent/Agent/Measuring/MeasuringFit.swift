// SPDX-License-Identifier: Apache-2.0
import Base
import Device

/// Whether a board can measure what a configuration asks for, and by which of its chips: the same for
/// `studyd enroll`, `check` and `run`. Nothing is opened; of a sensor behind a driver of the kernel
/// only what is there now can be said.
package struct MeasuringFit: Sendable {
    /// A chip that is driven, and the measures that it gives in one stream.
    struct Use: Sendable {
        let chip: BoardDescription.Chip
        let entry: ChipEntry
        let settings: ChipSettings
        /// The measure that names rate, format and rotation.
        let measure: ConfiguredMeasure
        /// The kind by which its file is called.
        let kind: MeasureKind
    }

    /// A device of a driver of the kernel, and the measures that are read of it into one file; the first names
    /// format and rotation.
    struct KernelUse: Sendable {
        let chip: BoardDescription.KernelChip
        let node: String
        let root: IIODevice.Root
        fileprivate(set) var measures: [ConfiguredMeasure]
    }

    /// What `run` refuses, each with file, line, key and remedy.
    package private(set) var problems: [ConfigError] = []
    /// Measures that are left out, and keys that have no effect, in words.
    package private(set) var remarks: [String] = []
    /// In the order of the measures.
    private(set) var uses: [Use] = []
    /// What only sensors behind drivers of the kernel can give.
    private(set) var kernelMeasures: [ConfiguredMeasure] = []
    /// The devices that are there, one for each.
    private(set) var kernelUses: [KernelUse] = []
    /// What no device that is there measures, and another one may that is not there yet.
    private(set) var awaited: [AwaitedMeasure] = []
    /// nil = not measured.
    private(set) var position: ConfiguredMeasure?
    /// nil = not measured. Every panel has some.
    private(set) var buttons: ConfiguredMeasure?
    /// nil = not measured.
    private(set) var sound: ConfiguredMeasure?
    private let board: BoardDescription
    private let measures: [ConfiguredMeasure]
    private let remedy: String?

    /// What becomes of `measures` and `features` of them on `board`. `kernelDevice` finds a sensor of
    /// the kernel; nil while it is missing. `remedy` is for measures that no studyd.toml has asked for.
    package init(
        _ measures: [ConfiguredMeasure], features: FeatureSettings? = nil, on board: BoardDescription,
        remedy: String? = nil,
        kernelDevice: (BoardDescription.KernelChip) -> IIODevice? = { try? IIODevice.find($0.device) }
    ) {
        self.board = board
        self.measures = measures
        self.remedy = remedy
        for measure in measures {
            switch measure.channel {
            case .accelerometer, .gyroscope, .magnetometer: addChip(measure, kernelDevice)
            case .position: addPosition(measure)
            case .sound: addSound(measure)
            case .buttons: addButtons(measure)
            // Computed, not measured.
            case .features: break
            }
        }
        if let flaw = board.microphone.map(PCMParameters.init(_:))?.flaw { refuse("microphone", flaw) }
        if let speaker = board.loudspeaker, let flaw = PCMParameters(device: speaker.device, rate: speaker.rate).flaw {
            refuse("loudspeaker", flaw)
        }
        if features?.names.contains("sound") == true, sound != nil, board.microphone?.calibration == 0 {
            remarks.append(
                "the feature sound is left out: \(board.file) has no calibration of its microphone, without which levels are not in dB re 20 µPa"
            )
        }
    }

    /// The kinds of the files that are recorded: nothing that is left out, nor what is in the file of
    /// another.
    var channels: [String] {
        // A device of the kernel writes its rotation into the file of its acceleration.
        let isShared = kernelUses.contains { $0.measures.count > 1 }
        let kernel = kernelMeasures.map(\.channel).filter { !(isShared && $0 == .gyroscope) }
        let others = [position, sound, buttons].compactMap { $0?.channel }
        return (uses.map(\.kind) + kernel + others).map(\.rawValue)
    }

    /// The first thing that is wrong is thrown.
    package func check() throws { if let problem = problems.first { throw problem } }

    // MARK: - Chips

    private mutating func addChip(
        _ measure: ConfiguredMeasure, _ kernelDevice: (BoardDescription.KernelChip) -> IIODevice?
    ) {
        let entries = board.chips.compactMap { chip in (try? chip.entry()).map { (chip: chip, entry: $0) } }
        guard let found = entries.first(where: { $0.entry.kinds.contains(measure.channel) }) else {
            return addKernelChip(measure, kernelDevice)
        }
        // A chip of two kinds gives both in one stream and one file: it is driven once.
        let first = uses.first { $0.chip.bus == found.chip.bus && $0.chip.address == found.chip.address }
        if let first {
            guard first.measure.canShareFile(with: measure) else {
                let kind = first.measure.channel.rawValue
                return refuse(
                    measure, "\(found.entry.name) writes it to one file with \(kind)",
                    remedy: "use the same rate and format for both in studyd.toml")
            }
            return remarkOnFile(of: first.measure, shared: measure)
        }
        let together = measures.filter { found.entry.kinds.contains($0.channel) }
        do { uses.append(try use(measure, found.chip, found.entry, together)) } catch let error as ConfigError {
            problems.append(error)
        } catch {
            refuse(
                found.chip.path, Explanation(error).finding,
                remedy: Explanation.remedies(
                    Explanation(error).remedy,
                    self.remedy ?? "correct \(measure.table), or remove the key to use the chip's own"))
        }
    }

    /// What the second of two measures in one file asks for that file, and does not get.
    private mutating func remarkOnFile(of first: ConfiguredMeasure, shared measure: ConfiguredMeasure) {
        let keys = measure.fileKeys(unlike: first)
        guard !keys.isEmpty else { return }
        let (name, other) = (measure.channel.rawValue, first.channel.rawValue)
        remarks.append(
            "\(keys.joined(separator: ", ")) of the measure \(name) has no effect: it is recorded into one file with \(other), whose table decides"
        )
    }

    /// Throws what the chip does not have.
    private func use(
        _ measure: ConfiguredMeasure, _ chip: BoardDescription.Chip, _ entry: ChipEntry,
        _ together: [ConfiguredMeasure]
    ) throws -> Use {
        let asked = together.first(where: \.isRateAsked) ?? measure
        var settings = ChipSettings(
            address: chip.address, rate: asked.rate, range: together.first { $0.channel != .gyroscope }?.range,
            rotationRange: together.first { $0.channel == .gyroscope }?.range, usesFIFO: measure.usesFIFO)
        let sensor: any VectorSensor
        do { sensor = try entry.make(NoBus(), chip.bus, settings) } catch let error as SettingError {
            // The configuration names no rate, and the chip does not have the usual one: it runs at its own.
            guard !asked.isRateAsked, error.setting == "rate" else { throw error }
            settings.rate = nil
            sensor = try entry.make(NoBus(), chip.bus, settings)
        }
        guard chip.interrupt == nil || sensor.hasInterrupt else {
            throw ConfigError(
                file: board.file, path: chip.path + ".interrupt", line: board.line(of: chip.path),
                cause: "\(entry.name) has no data-ready interrupt",
                remedy: "remove the key")
        }
        return Use(chip: chip, entry: entry, settings: settings, measure: measure, kind: sensor.source.kind)
    }

    private mutating func addKernelChip(
        _ measure: ConfiguredMeasure, _ kernelDevice: (BoardDescription.KernelChip) -> IIODevice?
    ) {
        guard !board.kernelChips.isEmpty else {
            let able = ChipCatalog.chips.filter { $0.kinds.contains(measure.channel) }.map(\.name)
            return leaveOut(
                measure,
                "none of its [[chip]] tables measures it; chips that do: IIO, \(able.joined(separator: ", "))")
        }
        // A device that could measure it, but whose buffer is read for another measure.
        var reader: (chip: BoardDescription.KernelChip, measure: ConfiguredMeasure)?
        var absent: [BoardDescription.KernelChip] = []
        kernelMeasures.append(measure)
        for chip in board.kernelChips {
            guard let device = kernelDevice(chip) else {
                absent.append(chip)
                continue
            }
            switch assign(measure, to: device, chip) {
            case .done: return
            case .notMeasured: break
            case .readForOther(let other): reader = (chip, other)
            }
        }
        // What is missing may measure it when it comes.
        guard absent.isEmpty else { return awaited.append(AwaitedMeasure(measure: measure, chips: absent)) }
        kernelMeasures.removeLast()
        guard let reader else { return leaveOut(measure, "no device of its IIO chips measures it") }
        leaveOut(
            measure,
            "\(reader.chip.device) is read for \(reader.measure.channel.rawValue), and its one buffer is not read for both"
        )
    }

    private enum KernelAssignment {
        /// The device measures it, or a problem says why it cannot as configured.
        case done
        case notMeasured
        /// Its buffer is read for that measure already.
        case readForOther(ConfiguredMeasure)
    }

    private mutating func assign(
        _ measure: ConfiguredMeasure, to device: IIODevice, _ chip: BoardDescription.KernelChip
    ) -> KernelAssignment {
        do {
            _ = try IIOSensor(
                device.node, settings: ChipSettings(of: [measure]), measures: [measure.channel], root: device.root)
        } catch is IIOSensor.NotMeasured {
            return .notMeasured
        } catch {
            refuse(chip.path, Explanation(error).finding, remedy: Explanation(error).remedy)
            return .done
        }
        guard let place = kernelUses.firstIndex(where: { $0.node == device.node }) else {
            kernelUses.append(KernelUse(chip: chip, node: device.node, root: device.root, measures: [measure]))
            return .done
        }
        let first = kernelUses[place].measures[0]
        guard first.channel == measure.channel || first.sharesBuffer(with: measure) else { return .readForOther(first) }
        if !first.canShareFile(with: measure) {
            refuse(
                measure, "\(chip.device) writes it to one file with \(first.channel.rawValue)",
                remedy: "use the same rate and format for both in studyd.toml")
        } else if first.channel != measure.channel {
            kernelUses[place].measures.append(measure)
        }
        return .done
    }

    // MARK: - Sound and position

    private mutating func addPosition(_ measure: ConfiguredMeasure) {
        guard board.position != nil else { return leaveOut(measure, "it has no [position] table") }
        if measure.range != nil { refuseRange(measure, "a position has no range") }
        position = measure
    }

    private mutating func addSound(_ measure: ConfiguredMeasure) {
        guard let microphone = board.microphone else { return leaveOut(measure, "it has no [microphone] table") }
        if measure.range != nil { refuseRange(measure, "sound has no range") }
        if measure.isRateAsked, measure.rate != Double(microphone.rate) {
            refuse(
                measure, "the microphone of the board gives \(microphone.rate) Hz",
                remedy: "remove rate from \(measure.table), or change it in \(board.file)")
        }
        sound = measure
    }

    private mutating func addButtons(_ measure: ConfiguredMeasure) {
        guard !board.buttons.isEmpty else { return leaveOut(measure, "it has no [[button]] table") }
        if measure.range != nil { refuseRange(measure, "buttons have no range") }
        buttons = measure
    }

    // MARK: - What is wrong

    private mutating func leaveOut(_ measure: ConfiguredMeasure, _ why: String) {
        guard measure.isOptional else {
            return refuse(measure, why, remedy: "remove \(measure.table), or add optional = true to it")
        }
        remarks.append("\(measure.channel.rawValue) is not measured on this board: \(why)")
    }

    private mutating func refuseRange(_ measure: ConfiguredMeasure, _ what: String) {
        refuse(measure, what, remedy: "remove range from \(measure.table)")
    }

    private mutating func refuse(_ measure: ConfiguredMeasure, _ what: String, remedy: String) {
        refuse(
            "", "the configuration measures \(measure.channel.rawValue), but \(what)",
            remedy: self.remedy ?? remedy)
    }

    private mutating func refuse(_ path: String, _ what: String, remedy: String? = nil) {
        problems.append(
            ConfigError(file: board.file, path: path, line: board.line(of: path), cause: what, remedy: remedy))
    }
}

extension ConfiguredMeasure {
    /// Whether both can be written into one file, as two kinds of one chip are.
    func canShareFile(with other: Self) -> Bool {
        format == other.format && (rate == other.rate || !isRateAsked || !other.isRateAsked)
    }

    /// Acceleration and rotation of one device of the kernel are read together, into one file; a
    /// magnetic field has its own.
    func sharesBuffer(with other: Self) -> Bool { channel != .magnetometer && other.channel != .magnetometer }

    /// Keys that are not at their defaults, and that `other` has otherwise.
    fileprivate func fileKeys(unlike other: Self) -> [String] {
        let keys: [(name: String, isAsked: Bool)] = [
            ("rotate", rotation != other.rotation && rotation != Self.usualRotation),
            ("longest_gap", longestGap != other.longestGap && longestGap != Self.usualLongestGap),
            ("body_location", bodyLocation != nil && bodyLocation != other.bodyLocation),
            ("fifo", !usesFIFO && other.usesFIFO),
        ]
        return keys.filter(\.isAsked).map(\.name)
    }

    /// Its table, for messages.
    var table: String { "[[measure]] channel = \"\(channel.rawValue)\" in studyd.toml" }
}

/// A bus to nowhere: drivers check their settings before they send anything.
private struct NoBus: I2CBus {
    func transaction(_ address: UInt8, _ operations: [I2COperation]) throws(I2CError) -> [UInt8] { throw .busVanished }
}
