// SPDX-License-Identifier: Apache-2.0
import Testing

@testable import Lab

@Suite struct SchemaPostTests {
    static let response = [
        ("data_type", "survey_response"), ("user_id", "ABDEG234"), ("study_id", "s"), ("module_index", "0"),
        ("module_name", "m"), ("responses", #"{"q":3}"#), ("response_time", "2019-05-08T23:16:21+10:00"),
        ("response_time_in_ms", "1557321381000"), ("alert_time", "2019-05-08T23:15:00+10:00"), ("platform", "studyd"),
    ]
    static let log = [
        ("data_type", "log"), ("user_id", "ABDEG234"), ("study_id", "s"), ("module_index", "-1"), ("page", "home"),
        ("event", "entry"), ("timestamp", "2019-05-08T23:16:21+10:00"), ("timestamp_in_ms", "1557321381000"),
        ("platform", "studyd"),
    ]

    static func post(_ base: [(String, String)], _ name: String? = nil, _ value: String? = nil) -> SchemaPost {
        SchemaPost(
            base.compactMap { field in
                guard field.0 == name else { return FormField(name: field.0, value: field.1) }
                return value.map { FormField(name: field.0, value: $0) }
            })
    }

    @Test func whatTheAppSendsIsTakenWithoutAWord() {
        for base in [Self.response, Self.log] {
            let post = Self.post(base)
            #expect(post.errors.isEmpty)
            #expect(post.warnings.isEmpty)
        }
    }

    /// studyd's own field of a response; a log does not have it.
    @Test func howFarOffAClockCanBeIsTakenWithoutAWord() {
        func post(_ base: [(String, String)]) -> SchemaPost {
            SchemaPost((base + [("clock_error_in_s", "0.012")]).map { FormField(name: $0.0, value: $0.1) })
        }
        #expect(post(Self.response).errors.isEmpty && post(Self.response).warnings.isEmpty)
        #expect(post(Self.response)["clock_error_in_s"] == "0.012")
        #expect(post(Self.log).warnings.count == 1)
    }

    /// A reaction test of momenTUM's app (momenTUM-app e14a806, `DataService.sendResponse`:
    /// names and order).
    static let reaction = [
        ("data_type", "pvt_response"), ("user_id", "ABDEG234"), ("study_id", "s"), ("module_index", "0"),
        ("module_id", "m1"), ("module_name", "m"), ("responses", #"{"reaction_times":"312,-2,289"}"#),
        ("response_time", "2019-05-08T23:16:21+10:00"), ("response_time_in_ms", "1557321381000"),
        ("alert_time", "2019-05-08T23:15:00+10:00"), ("platform", "studyd"),
    ]

    @Test func whatMomentumsAppSendsIsAnAnswerToo() {
        let post = Self.post(Self.reaction)
        #expect(post.errors.isEmpty && post.warnings.isEmpty, "\(post.errors) \(post.warnings)")
        #expect(post.kind == .response && post.responses.map(\.name) == ["reaction_times"])
    }

    /// Its type alone tells that it is of momenTUM.
    @Test func aReactionTestWithoutItsModulesIDIsRefused() {
        #expect(Self.post(Self.reaction, "module_id").errors == ["module_id is missing"])
    }

    /// `struct Response` of its server has the field without `Option` (momenTUM-json-maker db3f215,
    /// `api/src/redcap.rs`).
    @Test func momentumsAddressWantsTheModulesID() {
        let fields = Self.response.map { FormField(name: $0.0, value: $0.1) }
        #expect(SchemaPost(fields, isMomentum: true).errors == ["module_id is missing"])
    }

    @Test(arguments: response.map(\.0)) func aMissingFieldOfAResponseIsRefused(name: String) {
        #expect(Self.post(Self.response, name).errors.contains { $0.contains(name) })
    }

    @Test(arguments: log.map(\.0)) func aMissingFieldOfALogIsRefused(name: String) {
        #expect(Self.post(Self.log, name).errors.contains { $0.contains(name) })
    }

    @Test(arguments: [
        ("module_index", "-1"), ("module_index", "1.0"), ("module_index", "01"), ("module_index", ""),
        ("responses", "[]"), ("responses", "{"), ("response_time", "2019-05-08T13:16:21Z"), ("alert_time", ""),
        ("response_time_in_ms", "1.5e12"), ("user_id", ""), ("platform", ""), ("data_type", "other"),
    ]) func aBrokenFieldIsRefusedByName(name: String, value: String) {
        let errors = Self.post(Self.response, name, value).errors
        #expect(errors.count == 1)
        #expect(errors.first?.contains(name) == true)
    }

    @Test(arguments: [
        ("response_time_in_ms", "1557321382000", "different seconds"),
        ("module_name", String(repeating: "x", count: 501), "holds 500"),
        ("platform", String(repeating: "x", count: 51), "holds 50"), ("responses", "{}", "no question"),
        ("responses", #"{"a":1,"a":2}"#, "twice"),
    ]) func whatThePlatformWouldDamageIsAWarning(name: String, value: String, expected: String) {
        let post = Self.post(Self.response, name, value)
        #expect(post.errors.isEmpty)
        #expect(post.warnings.contains { $0.contains(expected) }, "\(post.warnings)")
    }

    /// 200 characters of a name that is in lists for ever are taken, one more is not.
    @Test(arguments: ["user_id", "study_id", "platform", "page", "event"])
    func aNameHasAnEnd(name: String) {
        let base = name == "page" || name == "event" ? Self.log : Self.response
        #expect(Self.post(base, name, String(repeating: "x", count: 200)).errors.isEmpty)
        #expect(
            Self.post(base, name, String(repeating: "x", count: 201)).errors
                == ["\(name) is longer than 200 characters"])
    }

    @Test(arguments: [200, 201]) func theNameOfAFieldAndTheIDOfAQuestionHaveAnEndToo(count: Int) {
        let name = String(repeating: "x", count: count)
        let field = SchemaPost((Self.response + [(name, "")]).map { FormField(name: $0.0, value: $0.1) })
        #expect(field.errors == (count > 200 ? ["the name of a field is longer than 200 characters"] : []))
        let question = Self.post(Self.response, "responses", #"{"\#(name)":1}"#)
        #expect(question.errors == (count > 200 ? ["the id of a question is longer than 200 characters"] : []))
    }

    /// What the columns hold without a loss is no warning.
    @Test(arguments: [
        ("study_id", 30), ("user_id", 30), ("module_name", 500), ("platform", 50),
    ]) func whatTheColumnHoldsIsTaken(name: String, length: Int) {
        #expect(Self.post(Self.response, name, String(repeating: "x", count: length)).warnings.isEmpty)
        #expect(Self.post(Self.response, name, String(repeating: "x", count: length + 1)).warnings.count == 1)
    }

    /// From -1 on in a log, for what belongs to no module; from 0 on in a response.
    @Test(arguments: [(response, "0", 0), (response, "-1", 1), (log, "-1", 0), (log, "-2", 1), (log, "0", 0)])
    func anIndexHasABeginning(base: [(String, String)], index: String, errors: Int) {
        #expect(Self.post(base, "module_index", index).errors.count == errors)
    }

    /// Unix time has no beginning before 1970 here.
    @Test func millisecondsBeginAtZero() {
        #expect(Self.post(Self.response, "response_time_in_ms", "0").errors.isEmpty)
        #expect(Self.post(Self.response, "response_time_in_ms", "-1").errors.count == 1)
        #expect(Self.post(Self.response, "response_time_in_ms", "1557321381999").warnings.isEmpty, "of the same second")
    }

    /// In a log it is a field that the platform does not have, whatever it holds.
    @Test(arguments: ["[]", "{", "{}", #"{"q":3}"#]) func answersOfALogAreNone(responses: String) {
        let post = SchemaPost((Self.log + [("responses", responses)]).map { FormField(name: $0.0, value: $0.1) })
        #expect(post.errors.isEmpty && post.responses.isEmpty, "\(post.errors)")
        #expect(post.warnings == ["responses is not a field of the platform"])
    }

    @Test func anotherOrderIsAWarning() {
        let post = Self.post(Self.response.reversed())
        #expect(post.errors.isEmpty)
        #expect(post.warnings.count == 1)
    }

    @Test func storedFieldsComeBackAsTheyWere() {
        let post = Self.post(Self.response, "module_name", "ä\u{0}\"\\\n😀")
        #expect(StoredRecord.fields(post.stored.text) == post.fields)
    }
}
