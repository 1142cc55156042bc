// SPDX-License-Identifier: Apache-2.0
import Base
import Study

/// Reads when an activity of the list is due, for `MyStudiesDecoder`. A run is a stretch of time in which an activity
/// can be done once; an anchor is the day from which runs are counted.
enum MyStudiesFrequencyReader {
    /// `place` is the activity's entry in the list. Nil after a problem, which has been noted.
    static func frequency(_ place: JSONPlace, _ findings: inout Findings) -> MyStudiesFrequency? {
        guard let child = place.member("frequency"), child.isObject else {
            findings.missing("frequency", "an object", in: place)
            return nil
        }
        guard let kind = kind(child, &findings) else { return nil }
        let isAnchored = place.member("schedulingType")?.text == "AnchorDate"
        let anchor = isAnchored ? Self.anchor(place, kind, frequency: child, &findings) : nil
        if isAnchored, anchor == nil { return nil }
        let dayRuns = kind == .daily ? Self.dayRuns(child, &findings) : []
        let runs = kind == .manually && !isAnchored ? Self.runs(child, &findings) : []
        return MyStudiesFrequency(
            kind: kind, start: moment("startTime", in: place, &findings), end: moment("endTime", in: place, &findings),
            dayRuns: dayRuns, runs: runs, anchor: anchor)
    }

    private static func kind(_ place: JSONPlace, _ findings: inout Findings) -> MyStudiesFrequency.Kind? {
        let text = findings.text("type", in: place)
        switch text.lowercased() {
        case "one time": return .oneTime
        case "ongoing": return .ongoing
        // The editor's label; the server sends it as Daily with several runs.
        case "daily", "within a day": return .daily
        case "weekly": return .weekly
        case "monthly": return .monthly
        case "manually schedule": return .manually
        default:
            findings.expected(
                "a frequency: One time, Ongoing, Daily, Weekly, Monthly, Manually Schedule",
                at: place.member("type") ?? place)
            return nil
        }
    }

    /// A moment by the wall clock, whatever its zone; nil where it is empty or absent.
    private static func moment(
        _ key: String, in place: JSONPlace, _ findings: inout Findings
    ) -> LocalDateTime? {
        guard let child = place.member(key), child.text != "" else { return nil }
        let local = child.text.flatMap(MyStudiesDates.local)
        if local == nil { findings.expected("a time such as 2017-05-11T08:56:00.000-0400, or \"\"", at: child) }
        return local
    }

    /// A time that was left blank in the editor; Google's server appends the seconds all the same (7f3ea838,
    /// study-datastore ActivityMetaDataDao.java).
    private static let blankTimes: Set<String?> = ["", ":00"]

    private static func time(
        _ key: String, in place: JSONPlace, otherwise: LocalTime, _ findings: inout Findings
    ) -> LocalTime {
        guard let child = place.member(key), !Self.blankTimes.contains(child.text) else { return otherwise }
        let time = child.text.flatMap { MyStudiesDates.time($0) }
        if time == nil { findings.expected("a time of day such as 08:56:00", at: child) }
        return time ?? otherwise
    }

    private static func entries(_ key: String, in place: JSONPlace, _ findings: inout Findings) -> [JSONPlace] {
        guard place.member(key) != nil else { return [] }
        return findings.objects(findings.array(key, of: "runs", in: place), "a run")
    }

    private static let neverOpens = "it ends on the day on which it begins, and not after its start: it never opens"

    private static func dayRuns(_ place: JSONPlace, _ findings: inout Findings) -> [MyStudiesFrequency.DayRun] {
        let runs = entries("runs", in: place, &findings).map { run -> MyStudiesFrequency.DayRun in
            let start = time("startTime", in: run, otherwise: .midnight, &findings)
            let end = time("endTime", in: run, otherwise: MyStudiesRuns.lastSecond, &findings)
            if end <= start { findings.warn(Self.neverOpens, at: run) }
            return MyStudiesFrequency.DayRun(start: start, end: end)
        }
        if runs.isEmpty { findings.expected("at least one run a day", at: place, found: "none") }
        for (run, next) in zip(runs, runs.dropFirst()) where next.start <= run.start {
            findings.expected("runs in order of time", at: place, found: "\(run.start) before \(next.start)")
        }
        return runs
    }

    private static func runs(_ place: JSONPlace, _ findings: inout Findings) -> [MyStudiesFrequency.Run] {
        let runs = entries("runs", in: place, &findings).compactMap { run -> MyStudiesFrequency.Run? in
            guard let start = moment("startTime", in: run, &findings) else {
                findings.missing("startTime", "a time", in: run)
                return nil
            }
            let end = moment("endTime", in: run, &findings)
            if let end, end <= start {
                findings.expected("an end after the start", at: run, found: "\(start) to \(end)")
            }
            return MyStudiesFrequency.Run(start: start, end: end)
        }
        if runs.isEmpty { findings.expected("at least one run", at: place, found: "none") }
        return runs
    }

    private static func anchor(
        _ place: JSONPlace, _ kind: MyStudiesFrequency.Kind, frequency: JSONPlace, _ findings: inout Findings
    ) -> MyStudiesFrequency.Anchor? {
        guard let child = place.member("anchorDate"), child.isObject else {
            findings.missing("anchorDate", "an object, because schedulingType is AnchorDate", in: place)
            return nil
        }
        guard let source = anchorSource(child, &findings) else { return nil }
        // The API's document puts anchorRuns beside frequency, the server into it.
        let holder = frequency.member("anchorRuns") == nil ? place : frequency
        let runs = entries("anchorRuns", in: holder, &findings).compactMap { anchorRun($0, &findings) }
        var anchor = MyStudiesFrequency.Anchor(
            source: source, start: offset("start", "anchorDays", .midnight, in: child, &findings),
            end: end(of: kind, in: child, &findings), runs: runs)
        anchor.addsRuns = frequency.member("addNewRuns")?.isTrue ?? false
        anchor.modified = moment("lastModified", in: place, &findings)
        return anchor
    }

    /// What days are counted from, of an activity or a resource.
    static func anchorSource(
        _ place: JSONPlace, _ findings: inout Findings
    ) -> MyStudiesFrequency.Anchor.Source? {
        switch findings.text("sourceType", in: place) {
        case "EnrollmentDate": return .enrolment
        case "ActivityResponse":
            let activity = findings.requiredText("sourceActivityId", in: place)
            let key = findings.requiredText("sourceKey", in: place)
            let form = findings.text("sourceFormKey", in: place)
            guard let activity, let key else { return nil }
            return .answer(activity: activity, key: form.isEmpty ? key : "\(form)/\(key)")
        case "ParticipantProperty":
            guard let metadata = place.member("propertyMetadata") else {
                findings.missing("propertyMetadata", "an object", in: place)
                return nil
            }
            return findings.requiredText("propertyId", in: metadata).map { id in
                .property(
                    MyStudiesFrequency.Anchor.Property(
                        id: id, external: findings.text("externalPropertyId", in: metadata),
                        entry: findings.text("dateOfEntryId", in: metadata),
                        refreshes: metadata.member("shouldRefresh")?.isTrue ?? false))
            }
        case "":
            // The server knows active properties only (WCP-WS 0b4ae92f, ActivityMetaDataDao,
            // getAnchordateDetailsByActivityIdForQuestionnaire); iOS hides what counts from others
            // (9091edbe, DBHandler.swift, loadActivityListFromDatabase).
            findings.warn(
                "names nothing to count from, as where a participant property was deactivated: participants never get it",
                for: "sourceType", in: place)
            return .nothing
        default:
            findings.expected(
                "a source: EnrollmentDate, ActivityResponse, ParticipantProperty",
                at: place.member("sourceType") ?? place)
            return nil
        }
    }

    private static func offset(
        _ key: String, _ days: String, _ otherwise: LocalTime, in place: JSONPlace, _ findings: inout Findings
    ) -> MyStudiesFrequency.Offset? {
        guard let child = place.member(key), child.isObject else { return nil }
        let count = child.member(days) == nil ? 0 : findings.integer(days, -36_500...36_500, in: child) ?? 0
        return MyStudiesFrequency.Offset(days: count, time: time("time", in: child, otherwise: otherwise, &findings))
    }

    /// After `repeatInterval`, or `anchorDays` where that is 0 or absent; in days, weeks or months as
    /// `Anchor.end` says. Where nothing repeats, the interval is ignored: the server still sends the one that
    /// the activity had before it became a one-time activity.
    private static func end(
        of kind: MyStudiesFrequency.Kind, in place: JSONPlace, _ findings: inout Findings
    ) -> MyStudiesFrequency.Offset? {
        guard let child = place.member("end") else { return nil }
        let repeats =
            [.daily, .weekly, .monthly].contains(kind) && (child.member("repeatInterval")?.integer ?? 0) > 0
        return offset("end", repeats ? "repeatInterval" : "anchorDays", MyStudiesRuns.lastSecond, in: place, &findings)
    }

    /// FDA's server has one `time` for both ends, Google's a time for each (`ActivityFrequencyAnchorRunsBean`).
    /// Without any time a run lasts from the start of its first day to the end of its last.
    private static func anchorRun(_ place: JSONPlace, _ findings: inout Findings) -> MyStudiesFrequency.AnchorRun? {
        guard let start = findings.integer("startDays", -36_500...36_500, in: place),
            let end = findings.integer("endDays", -36_500...36_500, in: place)
        else { return nil }
        if end < start { findings.expected("endDays not before startDays", at: place, found: "\(start) to \(end)") }
        let hasOne = !Self.blankTimes.contains(place.member("time")?.text ?? "")
        let both = time("time", in: place, otherwise: .midnight, &findings)
        let opens = time("startTime", in: place, otherwise: both, &findings)
        let closes = time("endTime", in: place, otherwise: hasOne ? both : MyStudiesRuns.lastSecond, &findings)
        if start == end, closes <= opens { findings.warn(Self.neverOpens, at: place) }
        return MyStudiesFrequency.AnchorRun(start: start, end: end, opens: opens, closes: closes)
    }
}
