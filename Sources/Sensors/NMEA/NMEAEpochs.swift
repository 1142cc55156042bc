// SPDX-License-Identifier: Apache-2.0
import Times

/// Gathers the sentences of one moment into one `Fix`.
///
/// A sentence with another time of day than the ones before closes the moment; where the receiver knows no time, the
/// return of a kind of sentence does. Who listens to a live receiver calls `flush` when the line has been silent for some
/// 0.3 s, so that the fix comes at once and a VTG that leads the next moment is not taken for the end of this one. Without
/// such pauses a VTG belongs to the moment before it unless that one has a VTG already; RMC, which has a time, wins over it.
public struct NMEAEpochs: Sendable {
    /// What a clock that can be trusted shows now; nil while there is none. With it, dates are checked and corrected.
    public var reference: Instant?

    private var moment = Moment()
    private var nextMotion: NMEAObservation?
    private var lastDate: (date: LocalDate, timeOfDay: Int64)?

    /// A gatherer that has heard nothing.
    public init(reference: Instant? = nil) { self.reference = reference }

    /// Adds a sentence; gives the fix of the moment before, if this one belongs to another.
    public mutating func append(_ sentence: NMEASentence) -> Fix? {
        guard let observation = NMEAObservation(sentence) else { return nil }
        if sentence.type == "VTG", moment.kinds.contains("VTG") {
            nextMotion = observation
            return nil
        }
        let fix = moment.isClosed(by: observation, kind: sentence.type) ? flush() : nil
        moment.add(observation, kind: sentence.type)
        return fix
    }

    /// Closes the moment: at a pause, and at the end of the data. Nil where nothing was said since the last fix.
    public mutating func flush() -> Fix? {
        let ended = moment
        moment = Moment()
        if let nextMotion { moment.add(nextMotion, kind: "VTG") }
        nextMotion = nil
        guard ended.isAnchored else { return nil }
        var fix = ended.fix
        if let time = time(of: ended, mode: fix.mode) { (fix.time, fix.dateCheck) = checked(time) }
        return fix
    }

    /// The date is the moment's own; or, with a valid position, that of the moment before, one later after midnight.
    private mutating func time(of moment: Moment, mode: Int) -> Instant? {
        guard let timeOfDay = moment.timeOfDay else { return nil }
        var date = moment.date
        if date == nil, mode > 1, let lastDate {
            let isNextDay = lastDate.timeOfDay - timeOfDay > Self.halfDay
            date = lastDate.date.adding(days: isNextDay ? 1 : 0)
        }
        guard let date else { return nil }
        lastDate = (date, timeOfDay)
        return LocalDateTime(date, .midnight).instant(offset: 0) + .nanoseconds(timeOfDay)
    }

    private static let halfDay: Int64 = 43_200_000_000_000
    /// 1024 weeks, after which the week number in the GPS signal begins again, in seconds.
    private static let round: Int64 = 1024 * 7 * 86_400
    /// How far the two clocks may be apart, in seconds.
    private static let tolerance: Int64 = 7 * 86_400

    private func checked(_ time: Instant) -> (Instant?, Fix.DateCheck) {
        guard let reference else { return (time, .unchecked) }
        let late = reference.seconds - time.seconds
        let rounds = Int64((Double(late) / Double(Self.round)).rounded())
        guard abs(late - rounds * Self.round) <= Self.tolerance else { return (nil, .refused) }
        if rounds == 0 { return (time, .confirmed) }
        return (time + .seconds(rounds * Self.round), .corrected(rounds: Int(rounds)))
    }
}

/// What has been said about the present moment.
private struct Moment: Sendable {
    private(set) var kinds: Set<String> = []
    private(set) var timeOfDay: Int64?
    private(set) var date: LocalDate?
    private var mode: Int?
    private var isAffirmed = false
    private var isDenied = false
    private var position = Fix(mode: 0)

    /// True when a sentence was heard that stands for a moment, and not only about one.
    var isAnchored: Bool { !kinds.isDisjoint(with: NMEAObservation.timed) }

    func isClosed(by observation: NMEAObservation, kind: String) -> Bool {
        guard NMEAObservation.timed.contains(kind) else { return false }
        if let timeOfDay, let other = observation.timeOfDay { return timeOfDay != other }
        return kinds.contains(kind)
    }

    mutating func add(_ observation: NMEAObservation, kind: String) {
        kinds.insert(kind)
        timeOfDay = timeOfDay ?? observation.timeOfDay
        date = observation.date ?? date
        if let other = observation.mode { mode = max(mode ?? 0, other) }
        if observation.isValid == true { isAffirmed = true }
        if observation.isValid == false { isDenied = true }
        addPosition(observation, isTimed: NMEAObservation.timed.contains(kind))
    }

    private mutating func addPosition(_ observation: NMEAObservation, isTimed: Bool) {
        position.satellites = observation.satellites ?? position.satellites
        position.hdop = observation.hdop ?? position.hdop
        position.latitude = observation.latitude ?? position.latitude
        position.longitude = observation.longitude ?? position.longitude
        position.altitudeMSL = observation.altitudeMSL ?? position.altitudeMSL
        position.geoidSeparation = observation.geoidSeparation ?? position.geoidSeparation
        position.speed = isTimed ? observation.speed ?? position.speed : position.speed ?? observation.speed
        position.track = isTimed ? observation.track ?? position.track : position.track ?? observation.track
    }

    /// Sentences that contradict each other make no position: a void one is believed.
    var fix: Fix {
        guard isAffirmed, !isDenied, mode != 1 else {
            return Fix(mode: isAffirmed || isDenied || mode != nil ? 1 : 0, satellites: position.satellites)
        }
        var fix = position
        fix.mode = mode ?? 2
        return fix
    }
}
