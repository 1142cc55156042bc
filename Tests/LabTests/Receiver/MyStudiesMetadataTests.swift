// SPDX-License-Identifier: Apache-2.0
import Foundation
import Testing

@testable import Lab
@testable import StandIns

/// The stand-in of the study metadata server, asked by curl.
@Suite(.timeLimit(.minutes(10))) struct MyStudiesMetadataTests {
    typealias Tests = MyStudiesRoutesTests

    @Test(arguments: [
        ("studyList", #""studies":[{"studyId":"S1","studyVersion":"1.0""#),
        ("studyInfo?studyId=S1", #"{"message":"SUCCESS","studyWebsite":"","info":[]}"#),
        ("resources?studyId=S1", #"{"message":"SUCCESS","resources":[]}"#),
        ("studyDashboard?studyId=S1", #"{"message":"SUCCESS","dashboard":{"statistics":[],"charts":[]}}"#),
        ("notifications?skip=0", #"{"message":"SUCCESS","notifications":[]}"#),
        (
            "studyUpdates?studyId=S1&studyVersion=1.0",
            #"{"message":"SUCCESS","updates":{"consent":false,"activities":false,"resources":false,"info":false,"status":"Active"},"currentVersion":"1.0"}"#
        ),
    ])
    func aStudyWithoutTheFileHasASensibleAnswer(_ call: String, _ answer: String) async throws {
        try await Tests.withLab { lab in
            let said = try await lab.metadata(call)
            #expect(said.hasPrefix("HTTP/1.1 200") && said.contains(answer), "\(said)")
        }
    }

    @Test(arguments: [
        ("studyInfo", 400), ("resources?studyId=", 400), ("studyUpdates?studyId=S1", 400),
        ("notifications", 400), ("activity?studyId=S1&activityId=A", 400),
        ("studyInfo?studyId=NO", 404), ("activity?studyId=S1&activityId=NO&activityVersion=1.0", 404),
        ("studyUpdates?studyId=NO&studyVersion=1.0", 404), ("eligibilityConsent?studyId=S1", 204),
        ("studyUpdates?studyId=S1&studyVersion=one", 204),
        ("accounts?studyId=S1", 404),
        ("studyInfo?studyId=s1", 200), ("studyList", 200),
    ])
    func whatIsMissingAndWhatIsUnknownDiffer(_ call: String, _ status: Int) async throws {
        try await Tests.withLab(files: ["accounts.json": #"{"accounts":[{"password":"hush"}]}"#]) { lab in
            let said = try await lab.metadata(call)
            #expect(said.hasPrefix("HTTP/1.1 \(status)") && !said.contains("hush"), "\(said)")
            guard [400, 404].contains(status) else { return }
            #expect(said.contains("StatusMessage: Invalid") && said.contains("status: 102"), "\(said)")
        }
    }

    @Test func everyCallNeedsACredentialOfOnePlatform() async throws {
        try await Tests.withLab { lab in
            for call in ["studyList", "studyUpdates?studyId=S1&studyVersion=1.0", "notifications?skip=0"] {
                let path = lab.url + "/StudyMetaData/" + call
                let none = try await curl(path)
                #expect(none.hasPrefix("HTTP/1.1 400") && none.contains("status: 102"), "\(none)")
                for wrong in ["org.box:no", "org.other:one", "org.box:"] {
                    let answer = try await curl("-u", wrong, path)
                    #expect(answer.hasPrefix("HTTP/1.1 401") && answer.contains("status: 103"), "\(answer)")
                }
            }
            #expect(try await curl(lab.url + "/StudyMetaData/ping").contains("It Works!"))
            let posted = try await curl("-X", "POST", lab.url + "/StudyMetaData/ping")
            #expect(posted.hasPrefix("HTTP/1.1 405") && posted.contains("Allow: GET"), "\(posted)")
        }
    }

    @Test func theBundleOfOnePlatformWithTheTokenOfTheOtherIsRefused() async throws {
        try await withFolder { folder in
            try FileManager.default.createDirectory(atPath: folder + "/study", withIntermediateDirectories: true)
            try Tests.activity.write(toFile: folder + "/study/A.json", atomically: true, encoding: .utf8)
            try await withReceiver(
                folder,
                { options in
                    options.played.mystudies = [folder + "/study"]
                    options.played.applications = ["ios:a:1", "android:b:2"].compactMap(
                        StandInApplication.init)
                }
            ) { url, _ in
                let call = url + "/mystudies/StudyMetaData/studyList"
                for (pair, status) in [("a:1", 200), ("b:2", 200), ("a:2", 401), ("b:1", 401)] {
                    let answer = try await curl("-u", pair, call)
                    #expect(answer.hasPrefix("HTTP/1.1 \(status)"), "\(pair): \(answer)")
                }
            }
        }
    }

    @Test func theOrganisationIsAskedForWhereTheRealServerDoes() async throws {
        try await Tests.withLab(organisation: "clinic") { lab in
            for call in ["studyList"] {
                for (fields, status) in [
                    ([], 400), (["-H", "applicationId: a"], 400), (["-H", "orgId: clinic"], 400),
                    (["-H", "applicationId: a", "-H", "orgId: other"], 404),
                    (["-H", "applicationId: a", "-H", "orgId: clinic"], 200),
                ] {
                    let words = ["curl", "-s", "-i", "-u", "org.box:one"] + fields
                    let answer = try await run(words + [lab.url + "/StudyMetaData/" + call])
                    #expect(answer.hasPrefix("HTTP/1.1 \(status)"), "\(call) \(fields): \(answer)")
                }
            }
            #expect(try await lab.metadata("studyInfo?studyId=S1").hasPrefix("HTTP/1.1 200"))
        }
    }

    @Test func whatLiesInTheFolderIsAnswered() async throws {
        let files = [
            "study.json":
                #"{"studyVersion":"1.2","status":"Upcoming","title":"T","settings":{"enrolling":false,"platform":"ios","rejoin":false},"withdrawalConfig":{"type":"ask_user","message":"m"}}"#,
            "resources.json": #"{"message":"SUCCESS","resources":[{"resourcesId":"1"}]}"#,
            "eligibilityConsent.json": #"{"message":"SUCCESS","consent":{"version":"1.0"}}"#,
            "studyDashboard.json":
                #"{"message":"SUCCESS","dashboard":{"statistics":[{"title":"moves","dataSource":{"activity":{"activityId":"T"}}}],"charts":[]}}"#,
        ]
        try await Tests.withLab(files: files) { lab in
            #expect(try await lab.metadata("resources?studyId=S1").contains(#""resourcesId":"1""#))
            #expect(try await lab.metadata("eligibilityConsent?studyId=S1").contains(#""version":"1.0""#))
            let list = try await lab.metadata("studyList", "-H", "applicationId: a", "-H", "orgId: o")
            #expect(
                list.contains(#""status":"Upcoming""#)
                    && list.contains(#""settings":{"enrolling":false,"platform":"ios","rejoin":false}"#), "\(list)")
            for call in ["studyInfo", "activityList"] {
                let answer = try await lab.metadata(call + "?studyId=S1")
                #expect(answer.contains(#""withdrawalConfig":{"type":"ask_user","message":"m"}"#), "\(answer)")
            }
            // An application for Android does not see a study for iOS.
            let android = ["-u", "org.box:two", lab.url + "/StudyMetaData/studyInfo?studyId=S1"]
            #expect(try await run(["curl", "-s", "-i"] + android).hasPrefix("HTTP/1.1 404"))
            try lab.write(nil, to: "study.json")
            #expect(try await run(["curl", "-s", "-i"] + android).hasPrefix("HTTP/1.1 200"))
            #expect(try await lab.metadata("studyDashboard?studyId=S1").contains("moves"))
        }
    }

    @Test func notificationsComeTheLatestFirstTwentyAtOnce() async throws {
        let all = (10..<35).map { #"{"notificationId":"\#($0)","date":"2026-01-\#($0 - 9)T08:00:00.000-0500"}"# }
        let file = #"{"message":"SUCCESS","notifications":[\#(all.joined(separator: ","))]}"#
        try await Tests.withLab(files: ["notifications.json": file]) { lab in
            func ids(_ skip: Int) async throws -> [String] {
                let answer = try await Tests.json(
                    "-u", "org.box:one", lab.url + "/StudyMetaData/notifications?skip=\(skip)")
                return (answer["notifications"]?.array ?? []).compactMap { $0["notificationId"]?.string }
            }
            let first = try await ids(0)
            #expect(first.count == 20)
            let rest = try await ids(20)
            #expect(Set(first + rest).count == 25 && rest.count == 5)
        }
    }

    static func updates(_ lab: Tests.Lab, _ version: String) async throws -> JSONValue {
        try await Tests.json(
            "-u", "org.box:one", lab.url + "/StudyMetaData/studyUpdates?studyId=S1&studyVersion=" + version)
    }

    static func flags(_ answer: JSONValue) -> [String] {
        ["consent", "activities", "resources", "info"].filter { answer["updates"]?[$0]?.bool == true }
    }

    @Test func aResearcherPausesAStudyAndBringsANewVersionWhileItIsServed() async throws {
        try await Tests.withLab(files: ["study.json": #"{"studyVersion":"1.0","status":"Active"}"#]) { lab in
            #expect(try await Self.flags(Self.updates(lab, "1.0")).isEmpty)
            try lab.write(#"{"studyVersion":"1.0","status":"Paused"}"#, to: "study.json")
            let paused = try await Self.updates(lab, "1.0")
            #expect(paused["updates"]?["status"] == .string("Paused") && Self.flags(paused).isEmpty)
            try lab.write(Tests.activity.replacingOccurrences(of: "\"1.0\"", with: "\"1.1\""), to: "A_1.1.json")
            try lab.write(#"{"studyVersion":"1.1","status":"Active"}"#, to: "study.json")
            let newer = try await Self.updates(lab, "1.0")
            #expect(Self.flags(newer) == ["activities", "resources", "info"], "\(newer.text)")
            #expect(newer["currentVersion"] == .string("1.1") && newer["updates"]?["status"] == .string("Active"))
            #expect(try await Self.flags(Self.updates(lab, "1.1")).isEmpty)
            // A version that was never served: the consent may differ too. One ahead of ours: nothing
            // to fetch.
            #expect(try await Self.flags(Self.updates(lab, "0.9")).count == 4)
            #expect(try await Self.flags(Self.updates(lab, "2.0")).isEmpty)
            #expect(
                try await lab.metadata("activity?studyId=S1&activityId=A&activityVersion=1.1").contains("\"steps\""))
            try lab.write(#"{"message":"SUCCESS","consent":{"version":"2"}}"#, to: "eligibilityConsent.json")
            try lab.write(#"{"studyVersion":"1.2","status":"Active"}"#, to: "study.json")
            #expect(try await Self.flags(Self.updates(lab, "1.1")).contains("consent"))
            try lab.write(#"{"message":"SUCCESS","resources":[{"resourcesId":"1"}]}"#, to: "resources.json")
            #expect(try await lab.metadata("resources?studyId=S1").contains(#""resourcesId":"1""#))
        }
    }

    @Test(arguments: [
        ("study.json", "{", "study.json"), ("study.json", #"{"status":"Asleep"}"#, "status Asleep"),
        ("study.json", #"{"studyVersion":1.1}"#, "studyVersion is not a text"),
        ("study.json", #"{"timeZone":"Mars/Olympus"}"#, "timeZone"), ("A_1.0.json", "{\"activity\":", "A_1.0.json"),
        ("A_1.0.json", "{}", "contains no activity"), ("resources.json", "no json", "left out"),
    ])
    func aBrokenFileKeepsTheLastGoodOneAndIsReportedOnce(_ name: String, _ text: String, _ report: String) async throws
    {
        try await Tests.withLab(files: ["study.json": #"{"studyVersion":"1.7","status":"Paused"}"#]) { lab in
            #expect(try await Self.updates(lab, "1.7")["currentVersion"] == .string("1.7"))
            try lab.write(text, to: name)
            for _ in 0..<2 {
                let answer = try await Self.updates(lab, "1.7")
                #expect(answer["currentVersion"] == .string("1.7") && answer["updates"]?["status"] == .string("Paused"))
            }
            #expect(lab.said.all.filter { $0.contains(report) }.count == 1, "\(lab.said.all)")
            try lab.write(Tests.activity, to: "A_1.0.json")
            try lab.write(#"{"studyVersion":"1.8"}"#, to: "study.json")
            #expect(try await Self.updates(lab, "1.7")["currentVersion"] == .string("1.8"))
        }
    }

    @Test func aFolderThatIsGoneIsServedAsItWasAndReportedOnce() async throws {
        try await Tests.withLab { lab in
            try FileManager.default.moveItem(atPath: lab.folder, toPath: lab.folder + "-away")
            for _ in 0..<3 {
                let answer = try await lab.metadata("activityList?studyId=S1")
                #expect(answer.contains("towerOfHanoi"))
            }
            #expect(lab.said.all.filter { $0.contains("No such file or directory") }.count == 1, "\(lab.said.all)")
            try FileManager.default.moveItem(atPath: lab.folder + "-away", toPath: lab.folder)
            try lab.write(#"{"studyVersion":"1.5"}"#, to: "study.json")
            #expect(try await Self.updates(lab, "1.0")["currentVersion"] == .string("1.5"))
        }
    }

    @Test func ofTwoFilesWithOneActivityTheFirstCountsAndItIsSaid() async throws {
        let copy = Tests.activity.replacingOccurrences(of: "\"numeric\"", with: "\"text\"")
        try await Tests.withLab(files: ["A_1.0 copy.json": copy, "B.json": copy]) { lab in
            let answer = try await lab.metadata("activity?studyId=S1&activityId=A&activityVersion=1.0")
            // A space comes before a dot.
            #expect(answer.contains("\"text\"") && !answer.contains("\"numeric\""))
            let remarks = lab.said.all.filter { $0.contains("holds A 1.0 as A_1.0 copy.json does, which counts") }
            #expect(remarks.count == 2, "\(lab.said.all)")
        }
    }

    @Test func whatEditorsLeaveIsPassedOver() async throws {
        try await Tests.withLab(files: [
            ".A_1.0.json.swp": "x", "A_1.0.json~": "x", "#A_1.0.json#": "x", "notes.txt": "x",
        ]) { lab in
            #expect(try await lab.metadata("activityList?studyId=S1").hasPrefix("HTTP/1.1 200"))
            try lab.write("{", to: ".hidden.json")
            #expect(try await Self.flags(Self.updates(lab, "1.0")).isEmpty)
            #expect(lab.said.all.allSatisfy { !$0.contains("hidden") && !$0.contains("swp") })
        }
    }
}
