// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// How often an activity is due, as the activity list says it: `MyStudiesFrequencyReader` reads it, and
/// `MyStudiesSchedule` makes runs of it. Times are those of the participant's wall clock.
struct MyStudiesFrequency: Sendable, Hashable {
    enum Kind: String, Sendable { case oneTime, ongoing, daily, weekly, monthly, manually }

    /// A stretch of local time in which one run may be done.
    struct Run: Sendable, Hashable {
        var start: LocalDateTime
        /// Nil = open for ever.
        var end: LocalDateTime?
    }
    /// A stretch of a day.
    struct DayRun: Sendable, Hashable {
        let start: LocalTime
        let end: LocalTime
    }
    /// Days from an anchor at a time of day.
    struct Offset: Sendable, Hashable {
        let days: Int
        let time: LocalTime
    }
    /// A run that is counted from an anchor.
    struct AnchorRun: Sendable, Hashable {
        /// Days from the anchor's.
        let start: Int
        /// Days from the anchor's; the last one.
        let end: Int
        let opens: LocalTime
        let closes: LocalTime
    }
    /// What the days are counted from, and the activity's lifetime relative to that.
    struct Anchor: Sendable, Hashable {
        enum Source: Sendable, Hashable {
            case enrolment
            /// A date question of another activity; in a form its key is `form/question`.
            case answer(activity: String, key: String)
            case property(Property)
            /// The list names no source: an activity that counts from it is never due.
            case nothing

            /// The variable that holds it once it is known.
            var variable: String? {
                switch self {
                case .enrolment: nil
                case .answer(let activity, let key): MyStudiesAnchors.variable(activity: activity, key: key)
                case .property(let property): MyStudiesAnchors.variable(property: property.id)
                case .nothing: MyStudiesAnchors.nothing
                }
            }

            /// Where the server keeps it: in an activity's list, a form's own list, or the list of properties. Nil for
            /// the day of enrolment, and where there is no source.
            var serverVariable: ServerVariable? {
                guard let variable else { return nil }
                switch self {
                case .enrolment, .nothing: return nil
                case .answer(let activity, let key):
                    let parts = key.split(separator: "/", maxSplits: 1).map(String.init)
                    return ServerVariable(
                        variable: variable, table: parts.count == 2 ? activity + parts[0] : activity,
                        column: parts.last ?? key)
                case .property(let property):
                    return ServerVariable(
                        variable: variable, table: "ParticipantProperties", column: property.id,
                        externalColumn: property.external, entryColumn: property.entry, refreshes: property.refreshes)
                }
            }
        }
        /// A participant property, as `propertyMetadata` describes it.
        struct Property: Sendable, Hashable {
            let id: String
            /// The columns of `ServerVariable.externalColumn` and `entryColumn`; empty where there is none.
            let external: String
            let entry: String
            let refreshes: Bool
        }
        let source: Source
        /// Nil = with the study.
        let start: Offset?
        /// Nil = as long as the study; for daily, weekly and monthly `days` counts days,
        /// weeks or months.
        let end: Offset?
        let runs: [AnchorRun]
        /// When the property's external system gives a new value, its runs are added to the earlier ones,
        /// except those that end before `modified`, when the activity was last changed.
        var addsRuns = false
        var modified: LocalDateTime?
    }

    let kind: Kind
    /// Nil = from the beginning of the study, which for a participant is the enrolment.
    let start: LocalDateTime?
    /// Nil = as long as the study.
    let end: LocalDateTime?
    let dayRuns: [DayRun]
    let runs: [Run]
    /// Nil for a regular schedule.
    let anchor: Anchor?
}
