// SPDX-License-Identifier: Apache-2.0
import Base
import Features
import Foundation
import Study
import SystemKit
import Testing

@testable import Agent

/// Records in topics, against a gateway that is as strict as RADAR-Gateway's source and decodes with fastavro and RADAR's own schemas.
@Suite(.serialized, .enabled(if: RadarPlatform.isThere), .timeLimit(.minutes(10))) struct RadarDestinationTests {
    static let features = """
        {"topics":{"studyd_features":{"type":"record","namespace":"org.example","name":"Features","fields":[
        {"name":"time","type":"double"},{"name":"timeReceived","type":"double"},
        {"name":"enmo","type":["null","float"],"default":null},{"name":"coverage","type":["null","float"],"default":null}]}}}
        """

    // MARK: What arrives

    @Test(arguments: ["binary", "json"]) func anAnswerIsAQuestionnaireRecord(format: String) throws {
        let platform = try RadarPlatform(nil, ["format": format])
        #expect(try platform.send(RadarPlatform.answer()).receipt != nil)
        #expect(
            try platform.records("questionnaire_response").map(\.value.text) == [
                "{\"time\":1772445600.5,\"timeCompleted\":1772445660.0,\"timeNotification\":1772445540.0,\"name\":\"phq8\","
                    + "\"version\":\"1.4\",\"answers\":[{\"questionId\":\"phq8_1\",\"value\":2,\"startTime\":1772445602.0,"
                    + "\"endTime\":1772445604.25}]}"
            ])
        let key = try platform.keys("questionnaire_response").first ?? ""
        #expect(key.hasPrefix("{\"projectId\":\"radar\",\"userId\":\"sub-1\",\"sourceId\":\""), "\(key)")
        #expect(try platform.posts() == ["\(format) gzip 1"])
    }

    @Test(
        arguments: ["binary", "json"],
        [
            ("2", "2"), ("5.5", "5.5"), ("true", "1"), ("\"5\"", "\"5\""), ("[\"a\",\"b\"]", "\"a,b\""), ("[]", "\"\""),
            ("{\"latitude\":1.5,\"longitude\":2}", "\"{\\\"latitude\\\":1.5,\\\"longitude\\\":2}\""),
            ("\"ż\u{1F600}\"", "\"ż\u{1F600}\""),
        ]) func everyKindOfAnswerKeepsItsValue(_ format: String, _ value: (String, String)) throws
    {
        let platform = try RadarPlatform(nil, ["format": format])
        #expect(try platform.send(RadarPlatform.answer(value.0)).receipt != nil)
        let record = try #require(try platform.records("questionnaire_response").first)
        #expect(record["answers"]?.elements.first?["value"]?.value.text == value.1)
    }

    @Test func rowsOfAFileGoAThousandAtATimeEachOnce() throws {
        let platform = try RadarPlatform()
        try platform.set(Self.features)
        var job = platform.job(try platform.features(2_345))
        #expect(
            try platform.send(&job).receipt?.hasPrefix("studyd_features has 2345 rows of 000001-features.csv, sha256")
                == true)
        #expect(try platform.posts() == ["binary gzip 1000", "binary gzip 1000", "binary gzip 345"])
        let records = try platform.records("studyd_features")
        #expect(records.count == 2_345 && Set(records.compactMap { $0["time"]?.value.text }).count == 2_345)
        #expect(
            records[8].value.text
                == "{\"time\":1772000520.0,\"timeReceived\":1772000520.0,\"enmo\":1.0,\"coverage\":1.0}")
    }

    @Test func aFileStaysOpenFromStepToStepUntilItsLastRow() throws {
        let platform = try RadarPlatform()
        try platform.set(Self.features)
        var job = platform.job(try platform.features(2_345))
        var wasOpen: [Bool] = []
        try platform.send(&job) { wasOpen.append(try platform.isOpen("000001-features.csv")) }
        // A thousand rows, the place told, a thousand, the place told; then the rest.
        #expect(wasOpen == [true, true, true, true, false])
    }

    @Test func aRestartGoesOnBehindWhatWasTaken() throws {
        let platform = try RadarPlatform()
        try platform.set(Self.features)
        try platform.set(
            "{\"next\":[{\"status\":200,\"after\":true,\"body\":{\"key_schema_id\":1,\"value_schema_id\":2}},{\"status\":503}]}"
        )
        var job = platform.job(try platform.features(1_500))
        #expect(try platform.send(&job).retry?.contains("503") == true)
        #expect(job.location == "1000 0 ")
        try platform.restart()
        job.offset = nil
        #expect(try platform.send(&job).receipt != nil)
        #expect(try platform.records("studyd_features").count == 1_500)
    }

    /// JSON has numbers of any size (RFC 8259 §6).
    @Test(arguments: ["1e300", "-1e300", "1.5"]) func aReceiptOfNoSchemaIsNone(_ id: String) throws {
        let platform = try RadarPlatform()
        for pair in [(id, "1"), ("1", id)] {
            try platform.set(
                "{\"next\":[{\"status\":200,\"body\":{\"key_schema_id\":\(pair.0),\"value_schema_id\":\(pair.1)}}]}")
            #expect(try platform.send(RadarPlatform.answer()).retry?.contains("no gateway's receipt") == true)
        }
    }

    /// The sample of NMEA 0183's own sentences that every reader of them quotes. The altitude is above the ellipsoid:
    /// RADAR-base/RADAR-Schemas c8b4694, commons/passive/phone/phone_relative_location.avsc:18.
    @Test(arguments: [("46.9,M,,*47", 592.3), (",M,,*52", nil)] as [(String, Double?)])
    func aPositionIsAnAbsoluteLocation(separation: String, altitude: Double?) throws {
        let platform = try RadarPlatform()
        let text =
            "$GPGGA,123519,4807.038,N,01131.000,E,1,08,0.9,545.4,M,\(separation)\r\n$GPRMC,123519,A,4807.038,N,01131.000,E,022.4,084.4,230394,003.1,W*6A\r\n"
        let draft = try platform.recording(
            "000002-position.nmea", text, ["measure": "position", "identifier": "position"])
        #expect(try platform.send(draft).receipt?.hasPrefix("android_phone_relative_location has 1 row") == true)
        let place = try #require(try platform.records("android_phone_relative_location").first)
        #expect(place["offsetReference"]?.value == .integer(0) && place["provider"]?.text == "GPS")
        #expect(abs((place["latitude"]?.value.double ?? 0) - 48.1173) < 1e-9)
        #expect(abs((place["longitude"]?.value.double ?? 0) - (11 + 31.0 / 60)) < 1e-9)
        #expect(abs((place["speed"]?.value.double ?? 0) - 22.4 * 1852 / 3600) < 1e-4)
        #expect(abs((place["bearing"]?.value.double ?? 0) - 84.4) < 1e-4)
        #expect(place["altitude"]?.value.double.map { ($0 * 1000).rounded() / 1000 } == altitude)
    }

    @Test func aFieldIsInMicrotesla() throws {
        let platform = try RadarPlatform()
        let text =
            "#studyd recording=3 measure=magnetometer\n#device LIS3MDL at i2c-1\n#units uT,uT,uT\ntime,uptime,x,y,z\n"
            + "2026-03-02T10:00:00.25Z,12.5,21.04,-3.5,40\n"
        let draft = try platform.recording(
            "000003-magnetometer.csv", text, ["measure": "magnetometer", "identifier": "magnetometer"])
        #expect(try platform.send(draft).receipt != nil)
        let record = try #require(try platform.records("android_phone_magnetic_field").first)
        #expect(record["time"]?.value == .spelled("1772445600.25") && record["y"]?.value.double == -3.5)
        #expect(Float(record["x"]?.value.double ?? 0) == 21.04)
    }

    @Test func theDevicesOwnSignalsAreARecordInEachTopic() throws {
        let platform = try RadarPlatform(
            nil,
            [
                "battery_topic": "android_phone_battery_level", "uptime_topic": "application_uptime",
                "time_zone_topic": "application_time_zone",
            ])
        #expect(platform.destination.takesDeviceSignals)
        try platform.set(
            """
            {"topics":{"android_phone_battery_level":"passive/phone/phone_battery_level.avsc",
            "application_uptime":"monitor/application/application_uptime.avsc",
            "application_time_zone":"monitor/application/application_time_zone.avsc"}}
            """)
        let time = Instant(seconds: 1_772_445_600)
        var signals = DeviceSignals(
            time: time, level: 0.5, status: .notCharging, uptime: .seconds(90), offset: 3600, delivered: 3, waiting: 1)
        #expect(try platform.send(signals.draft(to: "radar")).receipt?.hasPrefix("a record each in android") == true)
        signals = DeviceSignals(
            time: time + .seconds(3600), uptime: .seconds(3690), offset: 3600, delivered: 4, waiting: 0)
        #expect(try platform.send(signals.draft(to: "radar")).receipt != nil)
        #expect(
            try platform.records("android_phone_battery_level").map(\.value.text) == [
                "{\"time\":1772445600.0,\"timeReceived\":1772445600.0,\"batteryLevel\":0.5,\"isPlugged\":true,"
                    + "\"status\":\"NOT_CHARGING\"}"
            ])
        #expect(try platform.records("application_uptime").compactMap { $0["uptime"]?.value.double } == [90, 3690])
        // Berlin's winter as the schema's own words have it: from UTC to local time.
        #expect(try platform.records("application_time_zone").first?["offset"]?.value == .integer(3600))
    }

    /// What docs/radar.md gives to labs has a field for every column that there can be.
    @Test func theSchemasOfTheDocumentationHaveEveryColumn() throws {
        func fields(_ name: String) throws -> [AvroSchema.Field] {
            let root = #filePath.replacing("Tests/AgentTests/Upload/Radar/RadarDestinationTests.swift", with: "")
            let text = try String(contentsOfFile: root + "docs/radar/" + name, encoding: .utf8)
            return try AvroSchema(parsing: text).fields
        }
        let features = try fields("studyd_features.avsc")
        let epoch = try #require(Epoch(.seconds(60)))
        let columns = FeatureCatalog.all.flatMap { $0.columns(epoch) ?? [] }
        let names = columns.map(\.name) + ["coverage", "sound_coverage", "position_coverage", "uptime"]
        #expect(Set(names).subtracting(features.map(\.name)) == [])
        for schema in [features, try fields("studyd_sound_level.avsc")] {
            #expect(schema.prefix(2).map(\.name) == ["time", "timeReceived"])
            #expect(schema.dropFirst(2).allSatisfy { $0.fallback == .null }, "what is not there is null")
        }
    }

    // MARK: What is in the way

    /// What each status means (radar-jersey's codes); the second time the gateway takes it.
    @Test(arguments: [
        ("{\"status\":500,\"body\":{\"error\":\"kafka_send_failure\"}}", "500 kafka_send_failure"),
        ("{\"status\":502,\"body\":{\"error\":\"bad_gateway\"}}", "502 bad_gateway"), ("{\"status\":504}", "504"),
        ("{\"status\":200,\"body\":{}}", "no gateway's receipt"), ("{\"status\":418}", "418"),
    ]) func whatMayPassIsTriedAgain(_ answer: String, _ words: String) throws {
        let platform = try RadarPlatform()
        try platform.set("{\"next\":[\(answer)]}")
        let step = try platform.send(RadarPlatform.answer())
        #expect(step.retry?.contains(words) == true, "\(step)")
        #expect(try platform.send(RadarPlatform.answer()).receipt != nil)
    }

    @Test(arguments: [429, 503]) func aBusyServerIsLeftAloneAsLongAsItAsks(status: Int) throws {
        let platform = try RadarPlatform()
        try platform.set("{\"next\":[{\"status\":\(status),\"headers\":{\"Retry-After\":\"7\"}}]}")
        guard case .later(_, let wait) = try platform.send(RadarPlatform.answer()) else {
            Issue.record("it did not wait")
            return
        }
        #expect(wait == .seconds(7))
    }

    @Test func aTopicThatIsMissingStopsNoOther() throws {
        let platform = try RadarPlatform()
        var job = platform.job(try platform.features(3))
        let step = try platform.send(&job)
        #expect(
            step.held?.contains("the platform has no topic 'studyd_features': have it made there") == true, "\(step)")
        // The registry knows it, and Kafka does not.
        try platform.set("{\"next\":[{\"status\":404,\"body\":{\"error\":\"not_found\"}}]}")
        #expect(try platform.send(RadarPlatform.answer()).held?.contains("'questionnaire_response'") == true)
        #expect(try platform.send(RadarPlatform.answer()).receipt != nil)
        // It was made meanwhile: nothing is lost.
        try platform.set(Self.features)
        #expect(try platform.send(&job).receipt != nil && platform.records("studyd_features").count == 3)
    }

    /// What is held waits alone, and comes again; after any other failure all wait a little.
    @Test(arguments: [true, false]) func whatIsHeldDelaysNothingElse(concernsItemOnly: Bool) throws {
        let platform = try RadarPlatform()
        var backoff = DeliveryBackoff(policy: .init(), seed: 1)
        let ending = DeliveryEnding(result: .verdict(.retry(reason: "no topic")), concernsItemOnly: concernsItemOnly)
        let item = platform.job(try RadarPlatform.answer()).item
        for attempt in 0..<5 {
            let now = MonotonicTime.zero + .seconds(attempt)
            let result = backoff.end(ending, of: item, platform.destination, at: now, wall: RadarPlatform.now)
            guard case .failed("no topic", let retryAt) = result else {
                Issue.record("\(result)")
                return
            }
            #expect(retryAt > RadarPlatform.now)
            #expect(backoff.turn.isOpen(at: now) == concernsItemOnly)
        }
    }

    @Test func whatIsTooLargeForAnIngressIsHalved() throws {
        let platform = try RadarPlatform(nil, ["format": "json"])
        try platform.set(Self.features)
        try platform.set("{\"limit\":60000}")
        #expect(try platform.send(platform.features(1_000)).receipt != nil)
        let records = try platform.records("studyd_features").compactMap { $0["time"]?.value.text }
        #expect(records.count == 1_000 && records == records.sorted())
        // A page of the ingress's, not the gateway's word.
        try platform.set("{\"next\":[{\"status\":413,\"body\":\"<html>413</html>\"}]}")
        #expect(try platform.send(platform.features(4, name: "b.csv")).receipt != nil)
    }

    @Test(arguments: ["{\"binary\":false}", "{\"gzip\":false}", "{\"binary\":false,\"gzip\":false}"])
    func aPlainerServerIsWrittenToPlainly(_ control: String) throws {
        let platform = try RadarPlatform()
        try platform.set(control)
        for run in 1...2 { #expect(try platform.send(RadarPlatform.answer(run: run)).receipt != nil) }
        #expect(try Set(platform.posts()).count == 1, "it is remembered")
        #expect(try platform.requests().filter { $0.contains("/kafka/topics/") }.count <= 4)
    }

    /// Its neighbours arrive, and the file is kept and shown.
    @Test(arguments: [0, 500, 999]) func oneWrongRowStopsNoOther(wrong: Int) throws {
        let platform = try RadarPlatform()
        try platform.set(Self.features.replacing("[\"null\",\"float\"],\"default\":null}]", with: "\"float\"}]"))
        let draft = try platform.features(1_000) { row in
            "\(RadarPlatform.epoch(row)),\(row).0,0.5,\(row == wrong ? "" : "1.000")"
        }
        let refusal = try platform.send(draft).refusal
        #expect(
            refusal?.hasPrefix("studyd_features did not take 1 of 1000 rows of 000001-features.csv: ") == true
                && refusal?.contains("Features.coverage: is needed by the topic's schema") == true,
            "\(String(describing: refusal))")
        #expect(try platform.records("studyd_features").count == 999)
    }

    @Test func aRowOfAnUnknownTimeIsNotGivenOne() throws {
        let platform = try RadarPlatform()
        try platform.set(Self.features)
        let draft = try platform.features(5) { row in "\(row < 2 ? "" : RadarPlatform.epoch(row)),\(row).0,0.5,1.0" }
        #expect(
            try platform.send(draft).refusal?.contains(
                "did not take 2 of 5 rows of 000001-features.csv: it is not known when") == true)
        #expect(try platform.records("studyd_features").count == 3)
        #expect(try platform.send(platform.features(0, name: "none.csv")).receipt?.contains("0 rows") == true)
    }

    /// The lab registered another version while the device was writing by the last.
    @Test(arguments: ["binary", "json"]) func anotherSchemaIsFetchedWhenTheOldOneIsRefused(format: String) throws {
        let platform = try RadarPlatform(nil, ["format": format])
        _ = try platform.send(RadarPlatform.answer())
        // The destination stays open, as a lane's does: the schema is in memory.
        try platform.set("{\"drop\":[\"questionnaire_response\"]}")
        let more = AvroTests.questionnaire.replacing(
            "{\"name\":\"version\"",
            with: "{\"name\":\"site\",\"type\":\"string\",\"default\":\"none\"},{\"name\":\"version\"")
        try platform.set("{\"topics\":{\"questionnaire_response\":\(more)}}")
        let job = platform.job(try RadarPlatform.answer(run: 2))
        #expect(try platform.destination.send(job, by: platform.client).receipt != nil)
        let record = try #require(try platform.records("questionnaire_response").last)
        #expect(record["site"]?.text == "none" && record["version"]?.text == "1.4")
    }

    @Test func aSchemaThatNeedsAnUnknownFieldIsNamed() throws {
        let platform = try RadarPlatform()
        try platform.set("{\"drop\":[\"questionnaire_response\"]}")
        let more = AvroTests.questionnaire.replacing(
            "{\"name\":\"version\"", with: "{\"name\":\"site\",\"type\":\"string\"},{\"name\":\"version\"")
        try platform.set("{\"topics\":{\"questionnaire_response\":\(more)}}")
        #expect(
            try platform.send(RadarPlatform.answer()).refusal
                == "the schema of questionnaire_response: Questionnaire.site: is needed by the topic's schema, and the device has no value for it"
        )
    }

    /// Part of a request may be stored before a 500; Kafka then has it twice, told by source and time.
    @Test func aLostReceiptSendsTheSameAgain() throws {
        let platform = try RadarPlatform()
        try platform.set("{\"next\":[{\"status\":500,\"after\":true}]}")
        let draft = try RadarPlatform.answer()
        #expect(try platform.send(draft).retry != nil)
        #expect(try platform.send(draft).receipt != nil)
        let records = try platform.records("questionnaire_response").map(\.value.text)
        #expect(records.count == 2 && Set(records).count == 1)
    }

    /// After a few attempts it is looked for in single records.
    @Test func aRecordThatMakesTheServerFailIsFoundAtLast() throws {
        let platform = try RadarPlatform()
        try platform.set(Self.features)
        let failing = Array(repeating: "{\"status\":500}", count: 4).joined(separator: ",")
        for (attempts, isOver) in [(1, false), (3, false), (9, true)] {
            try platform.set("{\"next\":[\(failing)]}")
            let step = try platform.send(platform.features(4), attempts: attempts)
            #expect((step.refusal != nil) == isOver, "\(attempts): \(step)")
            if isOver { #expect(try platform.records("studyd_features").count == 3) }
            try platform.set("{\"next\":[]}")
        }
    }

    @Test func aFileThatWasChangedIsNotSent() throws {
        let platform = try RadarPlatform()
        try platform.set(Self.features)
        let draft = try platform.features(3)
        try AtomicFile.write(Array("other".utf8), to: platform.folder + "/000001-features.csv")
        #expect(try platform.send(draft).refusal?.contains("the file was changed") == true)
    }

    // MARK: The agent

    @Test(arguments: [
        ("features", "features", "features", true), ("features", "sound_features", "features", false),
        ("magnetometer", "magnetometer", "csv", true), ("position", "position", "nmea", true),
        ("accelerometer", "accelerometer", "cwa", false), ("sound", "sound", "flac", false),
        ("sound", "sound", "levels", false), ("buttons", "buttons", "events", false),
    ]) func onlyWhatHasATopicGoesThere(_ kind: String, _ identifier: String, _ format: String, _ isTaken: Bool) throws {
        let platform = try RadarPlatform()
        var description = RecordingDescription(fileName: "a", contentType: "text/csv", countedUnit: .samples)
        (description.kind, description.identifier, description.format) = (kind, identifier, format)
        let tus = ConfiguredDestination.recordings(to: "https://lab.example/files")
        let routes = DeliveryRoutes([tus, ConfiguredDestination(platform.destination, takes: .both)])
        #expect(routes.recordings(description) == ["recordings"] + (isTaken ? ["radar"] : []))
        description.task = .init(task: "t", run: "r", step: "s", recorders: [])
        #expect(routes.recordings(description) == ["recordings"], "it lies beside what is recorded all the time")
        description.task = nil
        description.age = .init(recipients: 1, contentType: "text/csv")
        #expect(routes.recordings(description) == ["recordings"], "it cannot be read here")
        #expect(routes.takesDescriptions("recordings") && !routes.takesDescriptions("radar"))
    }

    /// What the agent commits of a submitted run, through outbox and lane; then the participant is set inactive.
    @Test func anAnswerOfTheAgentArrivesAndAWithdrawalIsTold() async throws {
        let platform = try RadarPlatform()
        let database = try StudyDatabase(.memory, recordings: platform.folder)
        let routes = DeliveryRoutes([ConfiguredDestination(platform.destination, takes: .both)])
        #expect(routes.answers.isEmpty && routes.results == ["radar"])
        func commit(_ run: Int) throws -> StudyCommit {
            guard case .request(let request) = try RadarPlatform.answer(run: run).content else { return StudyCommit() }
            var commit = StudyCommit()
            let tree = try JSONNode(request.body).value
            commit.results = [ResultEntry(enrolment: "e1", task: "phq8", run: run, tree: tree)]
            return commit.registered(to: routes)
        }
        let made = UploadFixture.context(HastyClock(haste: 20))
        let (told, needs) = AsyncStream<Explanation?>.makeStream()
        let uploader = Uploader(
            database, to: [platform.destination],
            context: UploadContext(
                clock: made.clock, recordings: platform.folder, stamp: made.stamp,
                report: { if case .need("radar", let words) = $0 { needs.yield(words) } }), seed: 1, userAgent: "t")
        try await UploadFixture.append(try commit(1).drafts, to: database)
        async let running: Void = uploader.run()
        try await database.reaches { $0.items[.delivered] == 1 }
        try platform.set("{\"inactive\":true,\"revoke\":true}")
        try await UploadFixture.append(try commit(2).drafts, to: database)
        uploader.wake()
        var seen: Explanation?
        for await words in told {
            seen = words
            break
        }
        uploader.stop()
        await running
        #expect(
            seen?.description.hasPrefix("radar: participant sub-1 is not active in ManagementPortal") == true,
            "\(String(describing: seen))")
        let item = try #require(try await database.items().last)
        #expect(item.state == .waiting && item.note?.contains("everything is kept") == true)
        // It is self-started here: without a signal.
        #expect(try platform.records("questionnaire_response").first?["timeNotification"]?.value == .null)
    }

    /// Two prompts at noon in Berlin, answered on a panel of buttons: as the engine itself has them.
    @Test func whatIsAnsweredOnThePanelIsWhatKafkaHas() async throws {
        let platform = try RadarPlatform()
        var device = try await StudyDevice(
            LoadedStudy(AgentFixture.protocolText(days: 2, times: [(12, 0)]), origin: "a test"),
            buttons: AgentFixture.panels[1], participant: Participant(), at: "2026-03-20T08:00:00")
        try await device.run(until: device.now.instant + .seconds(3 * 86_400))
        #expect(device.results.count == 2)
        for result in device.results { #expect(try platform.send(result.draft(to: "radar")).receipt != nil) }
        let records = try platform.records("questionnaire_response")
        // 2026-03-21 and 22, 11:00 UTC.
        #expect(records.compactMap { $0["timeNotification"]?.value.double } == [1_774_090_800, 1_774_177_200])
        for record in records {
            let answers = try #require(record["answers"]?.elements)
            #expect(answers.compactMap { $0["questionId"]?.text } == ["alone", "mood"])
            #expect([.integer(0), .integer(1)].contains(answers[0]["value"]?.value))
            #expect(answers[1]["value"]?.value.double.map { (0...10).contains($0) } == true)
            let times = ([record] + answers + [record]).enumerated().flatMap { place, node in
                let keys =
                    place == 0
                    ? ["timeNotification", "time"]
                    : node["startTime"] == nil ? ["timeCompleted"] : ["startTime", "endTime"]
                return keys.compactMap { node[$0]?.value.double }
            }
            #expect(times.count == 7 && times == times.sorted(), "\(times)")
        }
    }

    @Test(arguments: [
        ("", "no topic is named for any recording"), ("features_topic = 'a b'", "'a b' is no topic of Kafka"),
        ("features_topic = 'a'\nformat = 'xml'", "'xml' is unknown"),
        ("features_topic = 'a'\nsource_model = ''", "is missing"),
        ("features_topic = 'a'", ""),
        ("features_topic = 'a'\n[seal]\nrecipients = ['\(age)']", "reads recordings, and sealed ones"),
    ]) func itsTableIsCheckedWithItsLines(_ more: String, _ words: String) {
        let model = more.contains("source_model") ? "" : "source_model = 'm'\n"
        let text =
            "board = 'b'\n[[destination]]\nkind = 'radar'\ntakes = 'both'\nurl = 'https://r.example/managementportal'\n"
            + "enrolment = 'radar'\nclient_id = 'studyd'\nsource_producer = 'p'\n\(model)\(more)\n"
        do {
            let read = try AgentConfiguration(parsing: text, file: "s.toml")
            #expect(words.isEmpty && read.destinations.first?.destination.address == "https://r.example")
        } catch {
            #expect(!words.isEmpty && "\(error)".contains(words) && "\(error)".hasPrefix("s.toml:"), "\(error)")
        }
    }

    /// The public half of the example in age's own README.
    static let age = "age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p"

    // MARK: RADAR's own schemas

    /// Something for every field, a union's branches in turn.
    private func sample(_ shape: AvroSchema.Shape, of schema: AvroSchema, _ turn: Int) -> JSONText {
        switch schema.resolved(shape) {
        case .null: .null
        case .boolean: .boolean(turn % 2 == 0)
        case .int: .integer(Int64([7, -1, 2_147_483_647][turn % 3]))
        case .long: .integer([7, -1, .max][turn % 3])
        case .float: .number([0.5, -1.25, 1e-5][turn % 3])
        case .double: .number([0.1, -1e300, 1_772_445_600.25][turn % 3])
        case .string, .bytes: .string(["", "ż\u{1F600}\n", "a"][turn % 3])
        case .fixed(_, let size): .string(String(repeating: "x", count: size))
        case .enumeration(_, let symbols, _): .string(symbols[turn % symbols.count])
        case .array(let item): .array((0..<turn).map { sample(item, of: schema, turn + $0) })
        case .map(let item): .object((0..<turn).map { .init("k\($0)", sample(item, of: schema, turn + $0)) })
        case .union(let branches): sample(branches[turn % branches.count], of: schema, turn)
        case .record(_, let fields): .object(fields.map { .init($0.name, sample($0.shape, of: schema, turn)) })
        case .named: .null
        }
    }

    /// fastavro finds in our bytes what the gateway finds in our JSON.
    @Test func everySchemaOfRADARIsWrittenAsOthersReadIt() throws {
        let platform = try RadarPlatform()
        let commons = RadarPlatform.schemas + "/commons"
        let names = try FileManager.default.subpathsOfDirectory(atPath: commons).filter { $0.hasSuffix(".avsc") }
        #expect(names.count >= 17)
        for name in names where name != "kafka/record_set.avsc" {
            let text = try String(contentsOfFile: "\(commons)/\(name)", encoding: .utf8)
            let schema = try AvroSchema(parsing: text)
            for turn in 0..<4 {
                let datum = try schema.datum(sample(schema.root, of: schema, turn))
                let body =
                    "{\"schema\":\(text),\"json\":\(datum.json.text),\"binary\":\"\(datum.binary.hexadecimal)\"}"
                let response = try platform.client.send(
                    HTTPRequest(method: "POST", url: platform.server.url("/compare"), body: .bytes(Array(body.utf8))))
                #expect(
                    String(decoding: response.body, as: UTF8.self) == "{\"compared\": \"same\"}",
                    "\(name) \(turn): \(String(decoding: response.body, as: UTF8.self))")
            }
        }
    }

    // MARK: The gateway's published cases

    /// KafkaTopicsTest.kt: a thousand records, binary and JSON, each with and without gzip.
    @Test(arguments: [("binary", true), ("binary", false), ("json", true), ("json", false)])
    func aThousandRecordsAreTakenInEveryForm(_ format: String, _ isCompressed: Bool) throws {
        let platform = try RadarPlatform(nil, ["magnetometer_topic": "android_phone_acceleration", "format": format])
        if !isCompressed {
            // A server that takes no gzip; binary is tried as JSON first.
            try platform.set("{\"gzip\":false}")
        }
        let rows = (0..<1000).map { "\(RadarPlatform.epoch($0)),\($0).0,0.1,0.1,0.1\n" }.joined()
        let head = "#studyd recording=3 measure=magnetometer\n#device x at y\n#units g,g,g\ntime,uptime,x,y,z\n"
        let draft = try platform.recording(
            "a.csv", head + rows, ["measure": "magnetometer", "identifier": "magnetometer"])
        #expect(try platform.send(draft).receipt != nil)
        #expect(try platform.records("android_phone_acceleration").count == 1000)
        #expect(try platform.posts() == ["\(isCompressed ? format : "json") \(isCompressed ? "gzip" : "plain") 1000"])
    }

    /// KafkaTopicsTest.kt: what the gateway answers to requests that are none, so that the stand-in is as strict.
    @Test(arguments: [
        ("POST", "/kafka/topics/questionnaire_response", "{}", "application/json", true, 422),
        ("POST", "/kafka/topics/questionnaire_response", "", "application/json", true, 400),
        ("POST", "/kafka/topics/questionnaire_response", "{}", "application/vnd.kafka.avro.v2+json", true, 422),
        ("POST", "/kafka/topics/questionnaire_response", "", "application/vnd.kafka.avro.v2+json", true, 400),
        ("HEAD", "/kafka/topics", "", "", true, 200), ("HEAD", "/kafka/topics", "", "", false, 401),
        ("GET", "/kafka/topics", "", "", false, 401),
    ]) func theStandInAnswersAsTheGatewaysTestsSay(
        _ method: String, _ path: String, _ body: String, _ type: String, _ isKnown: Bool, _ status: Int
    ) throws {
        let platform = try RadarPlatform()
        _ = try platform.send(RadarPlatform.answer())
        let pairings = try RadarPairings(in: platform.folder + "/destinations/radar.json")
        platform.client.credentials.token = isKnown ? pairings.all.last?.access : nil
        let response = try platform.client.send(
            HTTPRequest(
                method: method, url: platform.server.url(path),
                headers: type.isEmpty ? [] : [.init(name: "Content-Type", value: type)],
                body: method == "POST" ? .bytes(Array(body.utf8)) : .none))
        #expect(response.status == status, "\(String(decoding: response.body, as: UTF8.self))")
    }
}
