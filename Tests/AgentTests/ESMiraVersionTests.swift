// SPDX-License-Identifier: Apache-2.0
import Base
import Testing

@testable import Agent
@testable import Study

/// Studies of ESMira that change, and that end, in virtual time.
@Suite struct ESMiraVersionTests {
    private static func study(
        _ version: Int, groups: Int, questionnaire: String = #""durationPeriodDays":5"#
    ) throws -> LoadedStudy {
        let text =
            #"{"id":7,"version":\#(version),"randomGroups":\#(groups),"sendMessagesAllowed":false,"eventUploadSettings":{"study_updated":true},"questionnaires":[{"internalId":71,"title":"EMA",\#(questionnaire),"pages":[{"inputs":[{"name":"mood","responseType":"likert"}]}],"actionTriggers":[{"actions":[{}],"schedules":[{"startDayOne":false,"userEditable":false,"signalTimes":[{"startTimeOfDay":43200000}]}]}]}]}"#
        return try LoadedStudy(Array(text.utf8), origin: "study.json", platform: PlatformName(rawValue: "esmira"))
    }

    private static func absentParticipant() -> Participant {
        var participant = Participant(latency: .seconds(1_000_000))
        participant.opens = 0
        return participant
    }

    /// `Study.updateWith`: a group above the number that the new version has is drawn again among
    /// those, and is that of `study_updated` already.
    @Test func aVersionWithFewerGroupsDrawsAgainAndOneWithMoreDoesNot() async throws {
        var device = try await StudyDevice(
            Self.study(1, groups: 9), buttons: AgentFixture.panels[2], participant: Self.absentParticipant(),
            at: "2026-03-02T10:00:00", postURL: "https://s.example/")
        let first = try #require(device.study?.record.condition.flatMap { Int($0) })
        try #require(first > 2, "the seed of the device gives one that two groups do not have")
        try await device.feed(
            .update(PendingUpdate(loaded: Self.study(2, groups: 10), version: "2"), of: device.enrolment))
        #expect(device.study?.record.condition == String(first))
        try await device.feed(
            .update(PendingUpdate(loaded: Self.study(3, groups: 2), version: "3"), of: device.enrolment))
        let drawn = try #require(device.study?.record.condition.flatMap { Int($0) })
        #expect((1...2).contains(drawn))
        #expect(device.study?.conductor.planner.context.enrolment.condition == String(drawn))
        #expect(try await device.database.enrolmentByLog()?.record.condition == String(drawn))
        try await device.cutPower()
        #expect(device.study?.record.condition == String(drawn))
        let groups = try await Self.groups(of: "study_updated", in: device.database)
        #expect(groups == [first, drawn])
        try await device.feed(
            .update(PendingUpdate(loaded: Self.study(4, groups: 0), version: "4"), of: device.enrolment))
        #expect(device.study?.record.condition == nil)
        #expect(try await Self.groups(of: "study_updated", in: device.database) == [first, drawn, 0])
        #expect(try await device.database.verifyLog() == nil)
    }

    /// `Study.updateWith` draws only where the group is above the number that there is;
    /// `StudyTest.updateWith` of the app: 5 of 8 stays 5. The only group of one is 1
    /// (`StudyTest.finishJSON`), none is 0 and stays 0.
    @Test(arguments: [([1, 3], [1, 1]), ([1, 3, 1, 3], [1, 1, 1, 1]), ([0, 3], [0, 0]), ([1, 0, 2], [1, 0, 0])])
    func anExistingGroupIsKeptAndNoneIsDrawnLater(_ groups: [Int], _ sent: [Int]) async throws {
        var device = try await StudyDevice(
            Self.study(1, groups: groups[0]), buttons: AgentFixture.panels[2], participant: Self.absentParticipant(),
            at: "2026-03-02T10:00:00", postURL: "https://s.example/")
        for (version, count) in groups.enumerated().dropFirst() {
            let loaded = try Self.study(version + 1, groups: count)
            try await device.feed(
                .update(PendingUpdate(loaded: loaded, version: String(version + 1)), of: device.enrolment))
        }
        #expect(try await Self.groups(of: "joined", in: device.database) == [sent[0]])
        #expect(try await Self.groups(of: "study_updated", in: device.database) == Array(sent.dropFirst()))
        #expect(try await device.database.verifyLog() == nil)
    }

    /// `fireSchedulesChanged` of the app: "Your schedules have been reset due to an update to the study."
    @Test(arguments: [(true, 46_800_000, true), (true, 43_200_000, false), (false, 46_800_000, false)])
    func aVersionThatDropsMovedTimesSaysSo(_ moves: Bool, _ start: Int, _ isSaid: Bool) async throws {
        func study(_ version: Int, _ start: Int) throws -> LoadedStudy {
            let text =
                #"{"id":7,"version":\#(version),"sendMessagesAllowed":false,"questionnaires":[{"internalId":71,"title":"EMA","pages":[{"inputs":[{"name":"mood","responseType":"likert"}]}],"actionTriggers":[{"actions":[{}],"schedules":[{"signalTimes":[{"startTimeOfDay":\#(start)}]}]}]}]}"#
            return try LoadedStudy(Array(text.utf8), origin: "study.json", platform: PlatformName(rawValue: "esmira"))
        }
        var device = try await StudyDevice(
            study(1, 43_200_000), buttons: AgentFixture.panels[2], participant: Self.absentParticipant(),
            at: "2026-03-02T10:00:00", postURL: "https://s.example/")
        if moves {
            let planner = try #require(device.study?.conductor.planner)
            var time = try #require(planner.promptTimes.first)
            time.start = 50_400_000
            let moved = try planner.moving([time], at: device.now.instant)
            try await device.send(.variables(moved.variables))
        }
        #expect(device.study?.conductor.planner.promptTimes.map(\.isMoved) == [moves])
        try await device.feed(.update(PendingUpdate(loaded: study(2, start), version: "2"), of: device.enrolment))
        let said = try #require(device.study?.conductor.session.lastMessage)
        #expect(said.hasPrefix("The study has changed.") == isSaid, "\(said)")
        #expect(device.study?.conductor.planner.promptTimes.map(\.start) == [moves && !isSaid ? 50_400_000 : start])
    }

    /// What is of the other group from now on prompts at no time.
    @Test(arguments: [true, false]) func aVersionThatTakesTheQuestionnaireAwayPromisesNoTimes(_ isTaken: Bool)
        async throws
    {
        func study(_ version: Int, _ start: Int, group: Int) throws -> LoadedStudy {
            let text =
                #"{"id":7,"version":\#(version),"randomGroups":2,"sendMessagesAllowed":false,"questionnaires":[{"internalId":71,"title":"EMA","limitToGroup":\#(group),"pages":[{"inputs":[{"name":"mood","responseType":"likert"}]}],"actionTriggers":[{"actions":[{}],"schedules":[{"signalTimes":[{"startTimeOfDay":\#(start)}]}]}]}]}"#
            return try LoadedStudy(Array(text.utf8), origin: "study.json", platform: PlatformName(rawValue: "esmira"))
        }
        var device = try await StudyDevice(
            study(1, 43_200_000, group: 0), buttons: AgentFixture.panels[2], participant: Self.absentParticipant(),
            at: "2026-03-02T10:00:00", postURL: "https://s.example/")
        let planner = try #require(device.study?.conductor.planner)
        var time = try #require(planner.promptTimes.first)
        time.start = 50_400_000
        let moved = try planner.moving([time], at: device.now.instant)
        try await device.send(.variables(moved.variables))
        let own = try #require(device.study?.record.condition.flatMap { Int($0) })
        let second = try study(2, 46_800_000, group: isTaken ? 3 - own : own)
        try await device.feed(.update(PendingUpdate(loaded: second, version: "2"), of: device.enrolment))
        try #require(device.study?.loaded.study.version == "2")
        let said = try #require(device.study?.conductor.session.lastMessage)
        #expect(said.hasPrefix("The study has changed.") != isTaken, "\(said)")
    }

    /// Two looks at a server may find the same version; `study_updated` is in the data once a
    /// version (`Study.updateWith` compares them first).
    @Test func aVersionThatIsFoundTwiceIsFollowedOnce() async throws {
        var device = try await StudyDevice(
            Self.study(1, groups: 1), buttons: AgentFixture.panels[2], participant: Self.absentParticipant(),
            at: "2026-03-02T10:00:00", postURL: "https://s.example/")
        for version in [2, 2, 3, 3] {
            try await device.feed(
                .update(
                    PendingUpdate(loaded: Self.study(version, groups: 1), version: String(version)),
                    of: device.enrolment))
        }
        #expect(try await Self.groups(of: "study_updated", in: device.database) == [1, 1])
        #expect(try await device.database.events(kind: "studyUpdated", limit: -1).count == 2)
    }

    /// One questionnaire that is open after a prompt only, with these schedules.
    private static func prompting(_ version: Int, _ schedules: String, _ more: String = "") throws -> LoadedStudy {
        let text =
            #"{"id":7,"version":\#(version),"sendMessagesAllowed":false,"questionnaires":[{"internalId":71,"title":"EMA","completableOncePerNotification":true,"durationPeriodDays":30\#(more),"pages":[{"inputs":[{"name":"mood","responseType":"likert"}]}],"actionTriggers":[{"actions":[{}],"schedules":[\#(schedules)]}]}]}"#
        return try LoadedStudy(Array(text.utf8), origin: "study.json", platform: PlatformName(rawValue: "esmira"))
    }

    /// At these hours, with further members of the schedule.
    private static func schedule(_ hours: [Double], _ more: String = "") -> String {
        let times = hours.map { #"{"startTimeOfDay":\#(Int($0 * 3_600_000))}"# }.joined(separator: ",")
        return #"{"startDayOne":true,"userEditable":false\#(more),"signalTimes":[\#(times)]}"#
    }

    private static func moment(_ local: String, of device: StudyDevice) throws -> Instant {
        device.zone.resolve(try LocalDateTime(parsing: local)).instant
    }

    /// The schedules before and after, and what comes until Monday evening.
    private static let changes: [(String, String, [String])] = [
        (schedule([9]), schedule([9], #","dailyRepeatRate":2"#), ["07T09", "09T09"]),
        (schedule([9], #","dailyRepeatRate":2"#), schedule([9]), ["07T09", "08T09", "09T09"]),
        // From weekdays to the weekend, and back.
        (schedule([9], #","weekdays":62"#), schedule([9], #","weekdays":65"#), ["07T09", "08T09"]),
        (schedule([9], #","weekdays":65"#), schedule([9], #","weekdays":62"#), ["09T09"]),
        (schedule([12]), schedule([8]), ["07T08", "08T08", "09T08"]),
        // Another time before the old one, which goes on.
        (schedule([9]), schedule([8, 9]), ["07T08", "07T09", "08T08", "08T09", "09T08", "09T09"]),
    ]

    /// The app makes changed schedules again from the update on (`ActionTrigger.save`,
    /// `Schedule.scheduleIfNeeded`, `Scheduler.scheduleSignalTime`, ESMira-apps f750e58): nothing
    /// comes for days that have passed, and what was given on other days takes nothing away. Joined on
    /// Monday, updated on Friday at ten.
    @Test(arguments: changes)
    func aNewVersionPromptsFromTheUpdateOn(_ first: String, _ second: String, _ dues: [String]) async throws {
        var device = try await StudyDevice(
            Self.prompting(1, first), buttons: AgentFixture.panels[2], participant: Self.absentParticipant(),
            at: "2026-03-02T10:00:00", postURL: "https://s.example/")
        try await device.run(until: Self.moment("2026-03-06T10:00:00", of: device))
        let before = try await device.database.events(kind: "prompted", limit: -1).count
        try await device.feed(
            .update(PendingUpdate(loaded: Self.prompting(2, second), version: "2"), of: device.enrolment))
        try #require(device.study?.loaded.study.version == "2")
        try await device.cutPower()
        try await device.run(until: Self.moment("2026-03-09T23:00:00", of: device))
        let prompted = try await device.database.events(kind: "prompted", limit: -1).compactMap { logged -> Instant? in
            guard case .prompted(let occurrence) = logged.event else { return nil }
            return occurrence.due
        }
        #expect(try prompted.dropFirst(before) == dues.map { try Self.moment("2026-03-\($0):00:00", of: device) }[...])
        let missed = try await device.database.events(kind: "concluded", limit: -1).filter { logged in
            if case .concluded(_, .missed) = logged.event { true } else { false }
        }
        #expect(missed.isEmpty, "nothing was missed that never came")
        #expect(try await device.database.verifyLog() == nil)
    }

    /// A change of the hours of a day at some time of that day, and from when to when each prompt of the day
    /// is open: for an hour, or for the minutes that the new version has.
    struct ChangedDay: Sendable {
        let time: String
        let hours, newHours: [Double]
        let minutes: Int
        let prompts: [String]

        init(_ time: String, _ hours: [Double], _ newHours: [Double], minutes: Int = 60, _ prompts: [String]) {
            (self.time, self.hours, self.newHours) = (time, hours, newHours)
            (self.minutes, self.prompts) = (minutes, prompts)
        }
    }

    private static let changedDays: [ChangedDay] = [
        // A time is taken out: before it, at it, while its prompt is open, at its end and after it.
        ChangedDay("13:59", [9, 14, 19], [9, 19], ["09:00-10:00", "19:00-20:00"]),
        ChangedDay("14:00", [9, 14, 19], [9, 19], ["09:00-10:00", "14:00-15:00", "19:00-20:00"]),
        ChangedDay("14:10", [9, 14, 19], [9, 19], ["09:00-10:00", "14:00-15:00", "19:00-20:00"]),
        ChangedDay("15:00", [9, 14, 19], [9, 19], ["09:00-10:00", "14:00-15:00", "19:00-20:00"]),
        ChangedDay("15:30", [9, 14, 19], [9, 19], ["09:00-10:00", "14:00-15:00", "19:00-20:00"]),
        // The first is, so that its place goes to one that is to come, due, or over.
        ChangedDay("13:59", [9, 14], [14], ["09:00-10:00", "14:00-15:00"]),
        ChangedDay("14:00", [9, 14], [14], ["09:00-10:00", "14:00-15:00"]),
        ChangedDay("15:30", [9, 14], [14], ["09:00-10:00", "14:00-15:00"]),
        // One is added before the others.
        ChangedDay("09:30", [9, 14], [8, 9, 14, 19], ["09:00-10:00", "14:00-15:00", "19:00-20:00"]),
        ChangedDay("14:00", [9, 14], [8, 9, 14, 19], ["09:00-10:00", "14:00-15:00", "19:00-20:00"]),
        // One is moved on: its new time comes if it has not passed, and ends what is open.
        ChangedDay("08:59", [9], [9.5], ["09:30-10:30"]),
        ChangedDay("09:00", [9], [9.5], ["09:00-09:30", "09:30-10:30"]),
        ChangedDay("09:30", [9], [9.5], ["09:00-09:30", "09:30-10:30"]),
        ChangedDay("09:31", [9], [9.5], ["09:00-10:00"]),
        ChangedDay("20:10", [20], [21], ["20:00-21:00", "21:00-22:00"]),
        // And back.
        ChangedDay("08:59", [9], [8], []),
        ChangedDay("09:10", [9], [8], ["09:00-10:00"]),
        // Prompts stay open for longer, also one that gets another place, or for less.
        ChangedDay("14:10", [9, 14], [9, 14], minutes: 120, ["09:00-10:00", "14:00-16:00"]),
        ChangedDay("14:10", [9, 14], [14], minutes: 120, ["09:00-10:00", "14:00-16:00"]),
        ChangedDay("15:10", [9, 14], [9, 14], minutes: 120, ["09:00-10:00", "14:00-15:00"]),
        ChangedDay("14:10", [9, 14], [9, 19], minutes: 120, ["09:00-10:00", "14:00-15:00", "19:00-21:00"]),
        ChangedDay("14:10", [9, 14, 19], [9, 14, 19], minutes: 5, ["09:00-10:00", "14:00-15:00", "19:00-19:05"]),
    ]

    /// A time of the new version is not one of the old version only because it has its place in the file.
    @Test(arguments: changedDays, [false, true])
    func whatHasNotPassedComesAndWhatIsOpenKeepsItsTimes(_ day: ChangedDay, _ restarts: Bool) async throws {
        var device = try await StudyDevice(
            Self.prompting(1, Self.schedule(day.hours), #","completableMinutesAfterNotification":60"#),
            buttons: AgentFixture.panels[2], participant: Self.absentParticipant(), at: "2026-03-02T10:00:00",
            postURL: "https://s.example/")
        try await device.run(until: Self.moment("2026-03-03T\(day.time):00", of: device))
        let open = try #require(device.study?.conductor.scheduler.openPrompts.map(\.id))
        let second = try Self.prompting(
            2, Self.schedule(day.newHours), #","completableMinutesAfterNotification":\#(day.minutes)"#)
        try await device.feed(.update(PendingUpdate(loaded: second, version: "2"), of: device.enrolment))
        try #require(device.study?.loaded.study.version == "2")
        if restarts { try await device.cutPower() }
        try await device.run(until: Self.moment("2026-03-03T\(day.time):00", of: device) + .seconds(59))
        let listed = device.study?.conductor.scheduler.list(at: device.now.instant).entries.map(\.occurrence.id) ?? []
        let over = try await device.database.outcomes(of: device.enrolment)
        #expect(open.allSatisfy { listed.contains($0) || over[$0] != nil }, "\(open) in \(listed)")
        try await device.run(until: Self.moment("2026-03-03T23:00:00", of: device))
        let ended = try await device.database.events(kind: "concluded", limit: -1).map { logged -> String in
            guard case .concluded(let occurrence, .expired) = logged.event else { return "\(logged.event)" }
            return [occurrence.due, logged.stamp.wall].map { "\(device.zone.local($0).time)".prefix(5) }
                .joined(separator: "-")
        }
        #expect(ended == day.prompts)
        #expect(try await device.database.events(kind: "prompted", limit: -1).count == day.prompts.count)
        #expect(try await device.database.verifyLog() == nil)
    }

    /// A prompt that its `scriptFilter` kept silent is not in the log yet; the update does not end it.
    @Test func whatIsOpenInSilenceOutlivesAnUpdate() async throws {
        let locked = #","scriptFilter":"return 1 == 2;""#
        var device = try await StudyDevice(
            Self.prompting(1, Self.schedule([9]), locked), buttons: AgentFixture.panels[2],
            participant: Self.absentParticipant(), at: "2026-03-02T10:00:00", postURL: "https://s.example/")
        try await device.run(until: Self.moment("2026-03-03T10:00:00", of: device))
        let due = try Self.moment("2026-03-03T09:00:00", of: device)
        try #require(device.study?.conductor.scheduler.openPrompts.map(\.due) == [due])
        try await device.feed(
            .update(
                PendingUpdate(loaded: Self.prompting(2, Self.schedule([9]), locked), version: "2"),
                of: device.enrolment))
        #expect(device.study?.conductor.scheduler.openPrompts.map(\.due) == [due])
        try await device.cutPower()
        #expect(device.study?.conductor.scheduler.openPrompts.map(\.due) == [due])
    }

    /// Its time came while prompts were off.
    @Test func aNoticeThatWasWithheldIsNoPromptOfAnUpdate() async throws {
        func study(_ version: Int) throws -> LoadedStudy {
            let text =
                #"{"id":7,"version":\#(version),"sendMessagesAllowed":false,"questionnaires":[{"internalId":71,"title":"EMA","durationPeriodDays":30,"pages":[{"inputs":[{"name":"mood","responseType":"likert"}]}],"actionTriggers":[{"actions":[{"type":3,"msgText":"Drink"}],"schedules":[{"userEditable":false,"signalTimes":[{"startTimeOfDay":32400000}]}]}]}]}"#
            return try LoadedStudy(Array(text.utf8), origin: "study.json", platform: PlatformName(rawValue: "esmira"))
        }
        var device = try await StudyDevice(
            study(1), buttons: AgentFixture.panels[2], participant: Self.absentParticipant(),
            at: "2026-03-02T10:00:00", postURL: "https://s.example/")
        try await device.feed(.noted([.promptsSwitched(on: false)]))
        try await device.cutPower()
        try await device.run(until: Self.moment("2026-03-03T10:00:00", of: device))
        #expect(try await device.database.outcomes(of: device.enrolment).isEmpty)
        try await device.feed(.update(PendingUpdate(loaded: study(2), version: "2"), of: device.enrolment))
        try #require(device.study?.loaded.study.version == "2")
        #expect(try await Array(device.database.outcomes(of: device.enrolment).values) == [.missed(.promptsOff)])
        try await device.cutPower()
        try await device.run(until: Self.moment("2026-03-03T12:00:00", of: device))
        #expect(try await device.database.outcomes(of: device.enrolment).count == 1)
        #expect(try await device.database.events(kind: "prompted", limit: -1).isEmpty)
        #expect(try await device.database.verifyLog() == nil)
    }

    /// The clock had gone ahead by ten days when the version was taken up, and is put right: what the version has
    /// for those ten days comes.
    @Test(arguments: [false, true])
    func aVersionOfAClockThatWasAheadCountsFromWhenItIsRight(_ restarts: Bool) async throws {
        var device = try await StudyDevice(
            Self.prompting(1, Self.schedule([9])), buttons: AgentFixture.panels[2],
            participant: Self.absentParticipant(), at: "2026-03-02T10:00:00", postURL: "https://s.example/")
        try await device.run(until: Self.moment("2026-03-03T10:00:00", of: device))
        try await device.setClock(to: Self.moment("2026-03-13T10:00:00", of: device))
        try await device.run(until: Self.moment("2026-03-13T11:00:00", of: device))
        try await device.feed(
            .update(PendingUpdate(loaded: Self.prompting(2, Self.schedule([12])), version: "2"), of: device.enrolment))
        try #require(device.study?.loaded.study.version == "2")
        if restarts { try await device.cutPower() }
        try await device.setClock(to: Self.moment("2026-03-03T13:00:00", of: device))
        let before = try await device.database.events(kind: "prompted", limit: -1).count
        if restarts { try await device.cutPower() }
        try await device.run(until: Self.moment("2026-03-06T13:00:00", of: device))
        let prompted = try await device.database.events(kind: "prompted", limit: -1).compactMap { logged -> Instant? in
            guard case .prompted(let occurrence) = logged.event else { return nil }
            return occurrence.due
        }
        #expect(
            try prompted.dropFirst(before)
                == ["04T12", "05T12", "06T12"].map { try Self.moment("2026-03-\($0):00:00", of: device) }[...])
        #expect(try await device.database.verifyLog() == nil)
    }

    /// Off from Tuesday to Friday, and on again with a clock that is three days late, at which the server is asked
    /// before the clock is put right.
    @Test func aVersionWaitsForAClockThatIsKnown() async throws {
        var device = try await StudyDevice(
            Self.prompting(1, Self.schedule([9])), buttons: AgentFixture.panels[2],
            participant: Self.absentParticipant(), at: "2026-03-02T10:00:00", postURL: "https://s.example/")
        let off = try Self.moment("2026-03-03T10:00:00", of: device)
        try await device.run(until: off)
        try await device.cutPower(clockShows: off)
        try await device.feed(
            .update(PendingUpdate(loaded: Self.prompting(2, Self.schedule([8])), version: "2"), of: device.enrolment))
        #expect(device.study?.loaded.study.version == "1")
        try await device.setClock(to: Self.moment("2026-03-06T10:00:00", of: device))
        #expect(device.study?.loaded.study.version == "2")
        try await device.run(until: Self.moment("2026-03-07T10:00:00", of: device))
        let rows = try await device.database.occurrences(of: device.enrolment).map(\.occurrence)
        let dues = Set(rows.filter(\.isSignalled).map { device.zone.local($0.due).description.prefix(13) })
        #expect(
            dues == ["2026-03-03T09", "2026-03-04T09", "2026-03-05T09", "2026-03-06T09", "2026-03-07T08"],
            "the first version's until the clock was known, and the second's from then on")
        #expect(try await device.database.verifyLog() == nil)
    }

    private static func groups(of event: String, in database: StudyDatabase) async throws -> [Int] {
        var groups: [Int] = []
        for item in try await database.items(limit: -1) {
            guard case .request(let request) = try await database.content(of: item) else { continue }
            let body = String(decoding: request.body, as: UTF8.self)
            guard body.contains(#""eventType":"\#(event)""#) else { continue }
            groups += body.split(separator: #""group":"#).dropFirst().compactMap { Int($0.prefix(while: \.isNumber)) }
        }
        return groups
    }

    /// A prompt that is out when the last questionnaire's time ends goes with the study,
    /// as at every leave.
    @Test func aPromptThatIsOutWhenTheStudyEndsByItselfEndsToo() throws {
        let loaded = try Self.study(1, groups: 0)
        let context = try AgentFixture.context(loaded.study, at: "2026-03-02T10:00:00")
        var simulation = try StudySimulation(
            loaded, context: context, panel: AgentFixture.panel(AgentFixture.panels[2]),
            participant: Self.absentParticipant(),
            postURL: nil, days: nil)
        var types: [String] = []
        let (lines, ledger, _) = try simulation.run { request in
            let body = String(decoding: request.body, as: UTF8.self)
            types += body.split(separator: #""eventType":""#).dropFirst().map { String($0.prefix { $0 != "\"" }) }
        }
        // Prompted at noon on six days; each prompt takes the place of the one before, and the last
        // is out at the end.
        let prompts = lines.filter(\.occurrence.isSignalled)
        #expect(prompts.map(\.outcome) == [.expired, .expired, .expired, .expired, .expired, .interrupted])
        // What is open still is the list's own entry, by which the times are moved: no prompt.
        #expect(ledger.occurrences.open == 1 && ledger.occurrences.interrupted == 1 && ledger.isBalanced, "\(ledger)")
        #expect(types.last == "quit" && types.count { $0 == "invitation" } == 6, "\(types)")
    }
}
