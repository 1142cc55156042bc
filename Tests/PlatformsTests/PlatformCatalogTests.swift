// SPDX-License-Identifier: Apache-2.0
import Platforms
import Study
import Testing

@Suite struct PlatformCatalogTests {
    /// Event logs and outboxes keep names for years: `EnrolmentRecord.platform`,
    /// `OutboxDraft.destination`.
    @Test func theNamesInOldLogsAreStillThePlatforms() {
        #expect(PlatformCatalog.standard.names == ["schema", "mystudies", "esmira", "sage"])
        #expect(PlatformCatalog.standard[PlatformName(rawValue: "mystudies")] != nil)
        #expect(PlatformCatalog.standard[PlatformName(rawValue: "postcard")] == nil)
    }

    @Test func noTwoPlatformsShareANameATableOrAnOption() {
        let options = PlatformCatalog.standard.options([.reading, .planning, .enrolling]).map(\.name)
        #expect(Set(options).count == options.count)
        let tables = PlatformCatalog.kinds.compactMap { $0.table }
        #expect(Set(tables).count == tables.count)
    }

    private static func request(_ source: String, _ option: String? = nil) -> JoinRequest {
        var arguments = PlatformArguments()
        if let option { arguments.add(option, "ABC") }
        return JoinRequest(source: source, arguments: arguments)
    }

    @Test(arguments: [
        ("https://example.org/study.json", String?.none, String?.some("schema")),
        ("https://wcp.example.org", "token", "mystudies"), ("https://wcp.example.org", "study", "mystudies"),
        ("esmira://s.example/key1", nil, "esmira"), ("https://s.example/app-key1", nil, "esmira"),
        ("https://s.example/", "access-key", "esmira"), ("study.json", nil, nil), ("/etc/study", nil, nil),
    ])
    func thePlatformThatIsSurestIsAsked(_ source: String, _ option: String?, _ expected: String?) {
        let found = PlatformCatalog.standard.claimant(of: Self.request(source, option))
        #expect(found?.name.rawValue == expected)
    }

    @Test func aPlatformThatWasNamedIsTheOnlyOneAsked() {
        let name = PlatformName(rawValue: "mystudies")
        #expect(PlatformCatalog.standard.claimant(of: Self.request("https://example.org/s"), named: name) == nil)
        for (source, name) in [("https://example.org/study.json", "schema"), ("esmira://s.example/key1", "esmira")] {
            let found = PlatformCatalog.standard.claimant(
                of: Self.request(source), named: PlatformName(rawValue: name))
            #expect(found?.name.rawValue == name)
        }
    }

    @Test func aStudyOfNoKnownPlatformNamesThePlatforms() {
        let error = #expect(throws: StudyFormatError.self) {
            try PlatformCatalog.standard.decode(StudySource(Array("{}".utf8)))
        }
        let named = "a study of one of these platforms: schema, mystudies, esmira, sage"
        #expect(error?.description.contains(named) ?? false)
    }

    /// A folder is of no platform where its only study is not JSON.
    @Test func ofFilesOfNoPlatformTheOneThatIsNoJSONIsNamed() {
        func error(_ second: String) -> StudyFormatError? {
            let files = [("a.json", "{}"), ("b.json", second)].map {
                StudySource.File(name: $0.0, bytes: Array($0.1.utf8))
            }
            return #expect(throws: StudyFormatError.self) {
                try PlatformCatalog.standard.decode(StudySource(files: files))
            }
        }
        #expect(error("{\n'activities'}")?.description.hasPrefix("b.json:$ (line 2): expected JSON") ?? false)
        #expect(error("{}")?.description.hasSuffix("found files none of them recognises") ?? false)
    }

    /// Sage's published files have a comma too many, which only its own reader passes over.
    @Test(arguments: [1, 2]) func ofAPlatformThatDoesNotExistTheNameIsRefused(_ count: Int) {
        let files = (0..<count).map { StudySource.File(name: "\($0).json", bytes: Array("{\"steps\":[],}".utf8)) }
        let error = #expect(throws: StudyFormatError.self) {
            try PlatformCatalog.standard.decode(StudySource(files: files), as: PlatformName(rawValue: "sgae"))
        }
        #expect(error?.description.hasSuffix("found the platform sgae") ?? false)
    }

    @Test(arguments: [("timeouts", "hours"), ("policy", "windows"), ("compare", "no"), ("token", "ABCDEFGHJ")])
    func anOptionThatMeansNothingIsRefusedByItsPlatform(_ option: String, _ value: String) {
        var arguments = PlatformArguments()
        arguments.add(option, value)
        let given = arguments
        let error = #expect(throws: PlatformArgumentError.self) { try PlatformCatalog.standard.check(given) }
        #expect(error?.description.contains("--\(option)") ?? false)
    }
}
