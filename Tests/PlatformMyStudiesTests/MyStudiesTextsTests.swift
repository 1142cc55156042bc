// SPDX-License-Identifier: Apache-2.0
import Base
import Study
import Testing

@testable import PlatformMyStudies

struct MyStudiesTextsTests {
    static let activity = """
        {"activity":{"type":"questionnaire","metadata":{"studyId":"S","activityId":"A","version":"1.0"},"steps":[
        {"type":"question","resultType":"date","key":"day","title":"?","format":{"style":"Date"}},
        {"type":"question","resultType":"numeric","key":"pain","title":"?","format":{"style":"Integer"}}]}}
        """

    static func study(_ files: [String: String], list: String = "") throws -> StudyProtocol {
        let list = """
            {"activities":[{"activityId":"A","activityVersion":"1.0","title":"A","type":"questionnaire","startTime":"","endTime":"",
            "branching":false,"schedulingType":"Regular","frequency":{"type":"One time","runs":[]}}]\(list)}
            """
        let all = ["activityList.json": list, "A_1.0.json": activity].merging(files) { $1 }
        return try MyStudiesReader().decode(
            StudySource(files: all.sorted { $0.key < $1.key }.map { .init(name: $0.key, bytes: Array($0.value.utf8)) }))
    }

    static func local(_ text: String) throws -> LocalDateTime { try #require(MyStudiesDates.local(text)) }

    @Test func theStudySaysWhatItIsAndWhatWasConsentedTo() throws {
        let texts = try Self.study([
            "studyInfo.json": """
            {"message":"SUCCESS","studyWebsite":"https://x.org","info":[{"title":"<b>Sleep</b>","text":"How you sleep"},
            {"title":"","text":"Six weeks"}]}
            """,
            "consentDocument.json":
                #"{"message":"SUCCESS","consent":{"version":"1.0","type":"text/html","content":"<b>We</b> measure &amp; ask"}}"#,
        ]).texts
        #expect(texts.consent == "We measure & ask" && texts.contactURL == "https://x.org")
        #expect(texts.instructions == "Sleep. How you sleep. Six weeks")
    }

    /// GoogleCloudPlatform/fda-mystudies 7f3ea838, study-datastore StudyMetaDataDao.java:880-890 (`escapeHtml4`).
    @Test func tagsOfTheConsentMayBeReferences() throws {
        let texts = try Self.study([
            "consentDocument.json":
                #"{"consent":{"version":"1.0","content":"&lt;p&gt;We &lt;i&gt;measure&lt;/i&gt;&lt;/p&gt;&lt;p&gt;&amp;amp; ask&lt;/p&gt;"}}"#
        ]).texts
        #expect(texts.consent == "We measure & ask")
    }

    /// An answer that the server has may be to an activity that is gone.
    @Test(
        arguments: [("A", "day", nil), ("A", "night", "A/night"), ("B", "day", "B/day")]
            as [(String, String, String?)])
    func aResourceThatCountsFromWhatIsNotAskedIsTold(activity: String, key: String, unknown: String?) throws {
        let study = try Self.study([
            "resources.json": """
            {"message":"SUCCESS","resources":[{"resourcesId":"r","title":"Birth","type":"text","content":"c",
            "availability":{"availabilityType":"AnchorDate","sourceType":"ActivityResponse","sourceActivityId":"\(activity)",
            "sourceKey":"\(key)","startDays":0,"endDays":3}}]}
            """
        ])
        let told = study.remarks.filter { $0.kind == .warning && $0.message.hasPrefix("a resource counts from ") }
        #expect(told.map { $0.message.contains("from \(unknown ?? ""),") } == (unknown == nil ? [] : [true]))
        #expect(told.allSatisfy { $0.path.hasPrefix("resources.json") }, "\(told)")
    }

    @Test func resourcesHaveTheirWindows() throws {
        let study = try Self.study([
            "resources.json": """
            {"message":"SUCCESS","resources":[
            {"resourcesId":"r1","title":"<b>Diet</b>","type":"text","content":"<p>Eat &amp; drink</p>","audience":"All","notificationText":""},
            {"resourcesId":"r2","title":"Week","type":"pdf","content":"https://x.org/w.pdf","notificationText":"A leaflet",
             "availability":{"availabilityType":"Regular","availableDate":"2026-03-02","expiryDate":"2026-03-04"}},
            {"resourcesId":"r3","title":"Birth","type":"text","content":"c","availability":{"availabilityType":"AnchorDate",
             "sourceType":"ActivityResponse","sourceActivityId":"A","sourceKey":"day","startDays":-2,"endDays":3,"startTime":"08:00:00"}},
            {"resourcesId":"r4","title":"Joined","type":"text","content":"c",
             "availability":{"availabilityType":"AnchorDate","startDays":1,"endDays":1}},
            {"resourcesId":"r5","title":"Joined","type":"text","content":"c",
             "availability":{"availabilityType":"AnchorDate","sourceType":"","startDays":1,"endDays":1}}]}
            """
        ])
        #expect(study.resources.map(\.id) == ["r1", "r2", "r3", "r4", "r5"])
        #expect(study.resources[0].title == "Diet" && study.resources[0].text == "Eat & drink")
        #expect(study.resources[1].text == "PDF: https://x.org/w.pdf" && study.resources[1].announcement == "A leaflet")
        let enrolled = try Self.local("2026-03-01T10:00:00")
        let variable = MyStudiesAnchors.variable(activity: "A", key: "day")
        let day = try Self.local("2026-03-10T00:00:00")
        let open: [(String, [String: AnswerValue], [String])] = [
            ("2026-03-01T23:59:59", [:], ["r1"]), ("2026-03-02T00:00:00", [:], ["r1", "r2", "r4", "r5"]),
            ("2026-03-02T23:59:59", [:], ["r1", "r2", "r4", "r5"]), ("2026-03-03T00:00:00", [:], ["r1", "r2"]),
            ("2026-03-04T23:59:59", [:], ["r1", "r2"]), ("2026-03-05T00:00:00", [:], ["r1"]),
            ("2026-03-08T07:59:59", [variable: .dateTime(day)], ["r1"]),
            ("2026-03-08T08:00:00", [variable: .dateTime(day)], ["r1", "r3"]),
            ("2026-03-13T23:59:59", [variable: .dateTime(day)], ["r1", "r3"]),
            ("2026-03-14T00:00:00", [variable: .dateTime(day)], ["r1"]),
        ]
        for (now, variables, expected) in open {
            let ids = try study.resources.filter {
                $0.isOpen(at: try Self.local(now), enrolled: enrolled, variables: variables)
            }.map(\.id)
            #expect(ids == expected, "\(now)")
        }
        #expect(study.remarks.count { $0.path.hasSuffix("sourceType") } == 2)
        #expect(study.anchors?.questions == [AnchorRule(task: "A", question: "day", variable: variable)])
        #expect(study.anchors?.server.map(\.table) == ["A"])
    }

    /// As in PopMedNet's iOS/HPHC/HPHC/JsonFiles/ResourceList.json (f29b550).
    @Test(arguments: [("A", "day", 0), ("A", "night", 1), ("anct", "anc", 1)])
    func aResourceThatCountsFromNoQuestionIsWarnedOf(activity: String, key: String, count: Int) throws {
        let study = try Self.study([
            "resources.json": """
            {"resources":[{"resourcesId":"r","title":"R","type":"text","content":"c","availability":{"availabilityType":"AnchorDate",
             "sourceType":"ActivityResponse","sourceActivityId":"\(activity)","sourceKey":"\(key)","startDays":10,"endDays":20}}]}
            """
        ])
        let warned = study.remarks.filter { $0.message.contains("\(activity)/\(key)") }
        #expect(warned.count == count && warned.allSatisfy { $0.kind == .warning })
    }

    @Test func whatIsNoResourceIsPassedOver() throws {
        let study = try Self.study(["resources.json": #"{"resources":[3,{"title":"x"},null]}"#])
        #expect(study.resources.map(\.title) == ["x"])
    }

    @Test(arguments: [
        ("", WithdrawalRule.keepsData), (#","withdrawalConfig":{"type":"","message":""}"#, .keepsData),
        (#","withdrawalConfig":{"type":"no_action"}"#, .keepsData),
        (#","withdrawalConfig":{"type":"delete_data"}"#, .deletesData),
        (#","withdrawalConfig":{"type":"ask_user","message":"<p>Sure?</p>"}"#, .asks("Sure?")),
    ])
    func leavingFollowsTheStudysRule(_ json: String, _ rule: WithdrawalRule) throws {
        #expect(try Self.study([:], list: json).leaving.withdrawal == rule)
    }

    @Test func anUnknownRuleForLeavingIsRefused() {
        #expect(throws: StudyFormatError.self) {
            try Self.study([:], list: #","withdrawalConfig":{"type":"burn"}"#)
        }
    }

    @Test func theDashboardNamesQuestionsOfTheStudy() throws {
        let source =
            #""dataSource":{"type":"questionnaire","key":"pain","activity":{"activityId":"A","version":"1.0"}}"#
        let study = try Self.study([
            "studyDashboard.json": """
            {"message":"SUCCESS","dashboard":{"statistics":[
            {"title":"p","displayName":"Pain","statType":"Activity","unit":"points","calculation":"Average",\(source)},
            {"title":"x","displayName":"X","calculation":"Median",\(source)},
            {"title":"y","calculation":"Summation","dataSource":{"key":"k","activity":{"activityId":"B"}}}],
            "charts":[{"title":"c","displayName":"Pain by run","type":"line-chart","configuration":{"subType":""},
            "dataSource":{"type":"questionnaire","key":"pain","activity":{"activityId":"A","version":"1.0"},"timeRangeType":"days_of_week"}}]}}
            """
        ])
        #expect(
            study.feedback?.statistics == [
                StudyStatistic(title: "Pain", unit: "points", calculation: .average, task: "A", question: "pain")
            ])
        #expect(
            study.feedback?.charts.map(\.graph.maximumPoints) == [7] && study.feedback?.charts[0].graph.kind == .line)
        #expect(study.remarks.count { $0.kind == .unsupported } == 2)
    }

    /// GoogleCloudPlatform/fda-mystudies 7f3ea838, study-datastore DashboardMetaDataDao.java:447-462: the key of a
    /// question in a form is its own short title; study-builder questionPage.jsp:155 lets no other step have it.
    @Test func theDashboardNamesAQuestionOfAFormByItsOwnKey() throws {
        let form =
            #"{"type":"form","resultType":"grouped","key":"f","repeatable":true,"steps":[{"type":"question","resultType":"numeric","key":"sleep","title":"?","format":{}}]}"#
        let study = try Self.study([
            "A_1.0.json": Self.activity.replacing(#""steps":["#, with: #""steps":[\#(form),"#),
            "studyDashboard.json":
                #"{"dashboard":{"statistics":[],"charts":[{"title":"c","dataSource":{"key":"sleep","activity":{"activityId":"A"}}}]}}"#,
        ])
        #expect(study.feedback?.charts.map(\.graph.question) == ["f/sleep"])
    }

    @Test(
        arguments: [
            (#""type":"line-chart","#, .line), (#""type":"bar-chart","#, .bar), ("", .line), (#""type":"pie","#, .line),
        ] as [(String, GraphDescription.Kind)])
    func onlyABarChartHasBars(type: String, kind: GraphDescription.Kind) throws {
        let chart =
            #"{"title":"c",\#(type)"dataSource":{"key":"pain","activity":{"activityId":"A","version":"1.0"}}}"#
        let study = try Self.study(["studyDashboard.json": #"{"dashboard":{"statistics":[],"charts":[\#(chart)]}}"#])
        #expect(study.feedback?.charts.map(\.graph.kind) == [kind])
    }

    @Test func theStudysTextsCanBeRead() throws {
        let study = try Self.study([
            "study.json": #"{"identifier":"S","name":"Kicks","study_version":"1.3","rejoin":false}"#,
            "studyInfo.json":
                #"{"message":"SUCCESS","studyWebsite":"https://x.org","info":[{"type":"text","title":"Why","text":"<i>Because</i>"}]}"#,
        ])
        #expect(study.texts.name == "Kicks" && study.texts.contactURL == "https://x.org")
        #expect(study.texts.instructions == "Why. Because")
        #expect(study.version == "1.3" && !study.leaving.allowsRejoining)
    }
}
