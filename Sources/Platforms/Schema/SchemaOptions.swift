// SPDX-License-Identifier: Apache-2.0
import Study

/// Options of `studyd enroll` and of the commands that read a study, for studies of schema and momenTUM;
/// `SchemaPlatform` lists them.
enum SchemaOptions {
    static let timeouts = PlatformOption(
        "timeouts", value: "minutes|milliseconds", .reading,
        help: "schema: unit of timeout_after, minutes or milliseconds (default: minutes below 1000).")
    static let momentumLogs = PlatformOption(
        "momentum-logs", value: nil, .enrolling,
        help: "momenTUM: send log entries as schema's app does (momenTUM's own app sends none).")
    static let withoutPhotos = PlatformOption(
        "without-photos", value: nil, .reading,
        help: "momenTUM: leave photographs out, also required ones; the cards and the data say so.")
    static let allRepeats = PlatformOption(
        "all-repeats", value: nil, .reading,
        help: "momenTUM: go on repeating after the 30 times that its designer shows, up to the date in `until`.")

    static func choices(_ arguments: PlatformArguments) throws -> StudyOptions {
        var options = StudyOptions()
        if let name = arguments[timeouts.name] {
            guard let unit = StudyOptions.TimeoutUnit(rawValue: name) else {
                throw PlatformArgumentError(
                    "unknown unit", of: "--timeouts \(name)", remedy: "use minutes or milliseconds")
            }
            options.timeouts = unit
        }
        if arguments.has(momentumLogs.name) { options.sendsMomentumLogs = true }
        if arguments.has(withoutPhotos.name) { options.leavesOutPhotos = true }
        if arguments.has(allRepeats.name) { options.makesAllRepeats = true }
        return options
    }
}

extension StudyOptions {
    /// The unit of schema's `timeout_after`.
    package enum TimeoutUnit: String, Sendable, CaseIterable { case minutes, milliseconds }

    /// nil = minutes below 1000, else milliseconds.
    package var timeouts: TimeoutUnit? {
        get { self[text: "timeouts"].flatMap(TimeoutUnit.init) }
        set { self[text: "timeouts"] = newValue?.rawValue }
    }

    /// momenTUM: its server is sent what schema's app logs; its own app sends no log.
    package var sendsMomentumLogs: Bool {
        get { self[flag: "momentumLogs"] ?? false }
        set { self[flag: "momentumLogs"] = newValue ? true : nil }
    }

    /// momenTUM: photographs are left out, also where an answer is required.
    package var leavesOutPhotos: Bool {
        get { self[flag: "withoutPhotos"] ?? false }
        set { self[flag: "withoutPhotos"] = newValue ? true : nil }
    }

    /// momenTUM: what repeats up to a date is not cut off after the 30 times of its designer.
    package var makesAllRepeats: Bool {
        get { self[flag: "allRepeats"] ?? false }
        set { self[flag: "allRepeats"] = newValue ? true : nil }
    }
}
