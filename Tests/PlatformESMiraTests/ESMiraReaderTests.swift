// SPDX-License-Identifier: Apache-2.0
import Base
import PlatformFixtures
import Study
import Testing

@testable import PlatformESMira

@Suite struct ESMiraReaderTests {
    /// `studies.php` of ESMira-web 3.5.1 (commit 0750ca3) gave it.
    static let recorded = Fixture.path("esmira/own-study-4711.collection.json")
    static var isThere: Bool { Fixture.read(recorded) != nil }

    @Test(.enabled(if: isThere, "needs ../shared/fixtures/esmira"))
    func aStudyOfTheEditorIsReadAndWhatCannotBeAskedIsNamedByItsPlace() throws {
        let bytes = try #require(Fixture.read(Self.recorded))
        #expect(ESMiraReader().recognises(StudySource(bytes)))
        let study = try ESMiraReader().decode(StudySource(bytes))
        #expect(study.studyID == "4711" && study.conditions == ["1", "2"])
        #expect(study.tasks.map(\.key).prefix(3) == ["50001", "50002", "letter"] && study.tasks[1].condition == "2")
        let unasked = study.remarks.filter { $0.kind == .unsupported }.map(\.path)
        let page = "$._.questionnaires[0].pages[1].inputs"
        for index in [5, 7, 8] { #expect(unasked.contains("\(page)[\(index)].responseType"), "\(index)") }
    }

    @Test(arguments: [
        ("{\"id\":1,\"questionnaires\":[]}", "$.questionnaires"),
        ("{\"questionnaires\":[]}", "$.id"),
        ("{\"id\":1,\"questionnaires\":{}}", "$.questionnaires"),
        (ESMiraSample.text(#""pages":[]"#), "$.questionnaires"),
        (
            ESMiraSample.text(#""pages":[{"inputs":[{"name":"a"},{"name":"a"}]}]"#),
            "$.questionnaires[0].pages[0].inputs[1].name"
        ),
        (
            ESMiraSample.text(#""pages":[{"inputs":[{"name":"a","responseType":"app_usage","required":true}]}]"#),
            "$.questionnaires[0].pages[0].inputs[0].responseType"
        ),
        (
            ESMiraSample.text(#""pages":[{"inputs":[{"name":"a","likertSteps":[]}]}],"durationStart":"x""#),
            "$.questionnaires[0].durationStart"
        ),
        (
            ESMiraSample.text(ESMiraSample.pages).replacing("}]}", with: "},{\"internalId\":50001}]}"),
            "$.questionnaires[1].internalId"
        ),
        (
            ESMiraSample.text(
                #"\#(ESMiraSample.pages),"actionTriggers":[{"actions":[{}],"eventTriggers":[{"cueCode":"invitation"}]}]"#
            ),
            "$.questionnaires[0].actionTriggers[0].eventTriggers[0]"
        ),
        (
            ESMiraSample.text(
                #""pages":[{"inputs":[{"name":"a","responseType":"list_single","listChoices":["x","y","x"]}]}]"#),
            "$.questionnaires[0].pages[0].inputs[0].listChoices"
        ),
    ])
    func whatIsWrongIsNamedByItsPath(text: String, path: String) {
        #expect(ESMiraSample.problems(text).map(\.path).contains(path), "\(ESMiraSample.problems(text))")
    }

    /// The app's number for a date is broken, that for a time is not.
    @Test(arguments: [
        ("date", #","forceInt":true"#, true), ("date", #","forceInt":false"#, false), ("date", "", false),
        ("time", #","forceInt":true"#, false),
    ])
    func aDateIsSentAsADateAndThatIsSaid(_ type: String, _ flag: String, _ isSaid: Bool) throws {
        let input = #"{"name":"a","responseType":"\#(type)"\#(flag)}"#
        let said = try ESMiraSample.study(#""pages":[{"inputs":[\#(input)]}]"#).remarks.filter {
            $0.path.hasSuffix(".forceInt")
        }
        #expect(said.map(\.kind) == (isSaid ? [.assumption] : []))
    }

    @Test(arguments: [("", 1), (#","timeoutSec":0"#, 1), (#","timeoutSec":1"#, 1), (#","timeoutSec":2"#, 2)])
    func aCountdownLastsASecondAtLeastAndThatIsSaid(_ timeout: String, _ seconds: Int) throws {
        let input = #"{"name":"a","responseType":"countdown"\#(timeout)}"#
        let study = try ESMiraSample.study(#""pages":[{"inputs":[\#(input)]}]"#)
        #expect(study.tasks[0].content.steps.map(\.format) == [.countdown(.seconds(seconds))])
        let isSaid = study.remarks.contains { $0.kind == .assumption && $0.message.hasPrefix("one second") }
        #expect(isSaid == (timeout.isEmpty || timeout.hasSuffix(":0")))
    }

    /// As andreifoldes/ESMira-web keeps a study (web-pwa/a11y/fixtures/study-all-types.json, cad9daa).
    @Test func aSavedAnswerOfTheServerIsRefusedWithWhatToDo() {
        let text = #"{"success":true,"dataset":[\#(ESMiraSample.text(ESMiraSample.pages))]}"#
        let source = StudySource(Array(text.utf8))
        #expect(ESMiraReader().recognises(source))
        let error = #expect(throws: StudyFormatError.self) { try ESMiraReader().decode(source) }
        #expect(error?.problems.map(\.path) == ["$.dataset"] && error?.problems.first?.line == 1)
        #expect(error?.problems.first?.expected.contains("one element of `dataset`") ?? false)
        #expect(!ESMiraReader().recognises(StudySource(Array(#"{"success":true,"dataset":[]}"#.utf8))))
    }

    @Test func aStudyIsOneFile() {
        let file = StudySource.File(name: "study.json", bytes: Array(ESMiraSample.text(ESMiraSample.pages).utf8))
        let other = StudySource.File(name: "other.json", bytes: Array("{}".utf8))
        #expect(ESMiraReader().recognises(StudySource(files: [file])))
        for files in [[], [file, other], [other]] {
            #expect(!ESMiraReader().recognises(StudySource(files: files)))
        }
        for files in [[], [file, other]] {
            #expect(throws: StudyFormatError.self) { try ESMiraReader().decode(StudySource(files: files)) }
        }
    }

    /// `completableOncePerNotification` of the app's `Questionnaire.kt`: without it a questionnaire is always there.
    @Test(arguments: [
        ("", true), (#","completableOncePerNotification":false"#, true),
        (#","completableOncePerNotification":true"#, false),
    ])
    func aQuestionnaireStaysInTheListUnlessAPromptOpensIt(_ more: String, _ stays: Bool) throws {
        #expect(try ESMiraSample.study(ESMiraSample.pages + more).tasks[0].isSticky == stays)
    }

    /// `Study.getFilteredStudyList` (ESMira-apps f750e58) drops such a study on either kind of phone.
    @Test(arguments: [
        ("", false), (#","publishedAndroid":false"#, false), (#","publishedIOS":false"#, false),
        (#","publishedAndroid":false,"publishedIOS":false"#, true),
        (#","publishedAndroid":false,"publishedIOS":true"#, false),
    ])
    func aStudyThatTheAppDoesNotOfferIsNamed(_ more: String, _ isNamed: Bool) throws {
        let study = try ESMiraSample.study(ESMiraSample.pages, more)
        let warnings = study.remarks.filter { $0.message.hasPrefix("published for neither") }
        #expect(warnings.map(\.path) == (isNamed ? ["$"] : []))
        #expect(!study.tasks.isEmpty)
    }

    /// `limitToGroup` is 0 for every group, and so is one that `randomGroups` does not have (ESMira-apps f750e58).
    @Test(
        arguments: [
            (0, 1, nil, false), (1, 1, nil, false), (1, 2, nil, false), (2, 0, nil, false), (2, 1, "1", false),
            (2, 2, "2", false), (2, 3, nil, true), (3, 3, "3", false),
        ] as [(Int, Int, String?, Bool)])
    func aGroupThatTheStudyDoesNotHaveIsEveryGroup(_ groups: Int, _ limit: Int, _ arm: String?, _ isSaid: Bool) throws {
        let study = try ESMiraSample.study(
            ESMiraSample.pages + #","limitToGroup":\#(limit)"#, #","randomGroups":\#(groups)"#)
        #expect(study.tasks[0].condition == arm)
        #expect(study.remarks.contains { $0.path.hasSuffix(".limitToGroup") } == isSaid)
    }

    /// A panel that cannot ask for it leaves out what need not be answered.
    @Test(arguments: [("", false), (#","required":false"#, false), (#","required":true"#, true)])
    func whatIsRequiredIsNotLeftOut(_ more: String, _ isRequired: Bool) throws {
        let input = #"{"name":"a","responseType":"number"\#(more)}"#
        let step = try #require(
            try ESMiraSample.study(#""pages":[{"inputs":[\#(input)]}]"#).tasks[0].content.steps.first)
        #expect(step.isRequired == isRequired && step.isDispensable == !isRequired)
    }

    @Test func textsAreReadAsHTMLAndAnInputThatCannotBeAskedIsNamed() throws {
        let study = try ESMiraSample.study(
            #""pages":[{"header":"<h1>Now</h1>","inputs":[{"name":"q","text":"<b>How</b> are you?<br>"},{"name":"bt","responseType":"bluetooth_devices"}]}]"#
        )
        #expect(study.tasks[0].content.steps.map(\.text) == ["Now", "How are you?"])
        #expect(study.remarks.contains { $0.kind == .unsupported && $0.message.contains("bluetooth_devices") })
    }

    /// Both apps show these as they are written (`ListSingleView.kt`, `LikertView.kt`, `LikertStruct.swift`, f750e58).
    @Test func choicesAndLabelsKeepWhatLooksLikeATag() throws {
        let study = try ESMiraSample.study(
            #""pages":[{"inputs":[{"name":"a","responseType":"list_single","listChoices":["<none>"," a <b>c</b>  &amp; d"]},{"name":"b","responseType":"likert","leftSideLabel":"<low>","rightSideLabel":"5 > 4"}]}]"#
        )
        let formats = study.tasks[0].content.steps.map(\.format)
        guard case .choice(let choice) = formats[0], case .slider(let slider) = formats[1] else {
            Issue.record("\(formats)")
            return
        }
        #expect(choice.options.map(\.text) == ["<none>", "a <b>c</b> &amp; d"])
        #expect([slider.minimumLabel, slider.maximumLabel] == ["<low>", "5 > 4"])
    }

    /// What the editor's button for pictures makes of a text (`RichText.tsx`, ESMira-web 0750ca3).
    @Test func aPictureWithinATextIsLeftOutAndThatIsSaid() throws {
        let picture = #"<div>Like this?</div><img src=\"data:image/png;base64,AAAA\">"#
        let study = try ESMiraSample.study(
            #""pages":[{"header":"\#(picture)","inputs":[{"name":"a","text":"\#(picture)"},{"name":"b","text":"x < img"}]}]"#
        )
        #expect(study.tasks[0].content.steps.map(\.text) == ["Like this?", "Like this?", "x < img"])
        let page = "$.questionnaires[0].pages[0]"
        let said = study.remarks.filter { $0.message == "a picture within the text is left out" }
        #expect(said.map(\.path) == ["\(page).header", "\(page).inputs[0].text"])
    }

    /// `Input.kt` of the app (f750e58) puts the user id into the address; a card is
    /// printed for everybody.
    @Test func whoseAddressItIsIsSaid() throws {
        func remark(_ url: String) throws -> String? {
            let input = #"{"name":"site","responseType":"share","url":"\#(url)"}"#
            return try ESMiraSample.study(#""pages":[{"inputs":[\#(input)]}]"#).remarks.first {
                $0.path.hasSuffix("inputs[0].url")
            }?.message
        }
        #expect(try remark("https://s.example/?u=[[USER_ID]]")?.contains("the participant's id") == true)
        #expect(try remark("https://s.example/")?.contains("id") == false)
    }

    /// `study.createJson()`, which the pages "source" and "publish" of the editor download: a text that differs is a
    /// record of languages, in lists too (`TranslatablePrimitive.ts:48`), and keys that have the editor's defaults are
    /// left out (`ObservableObject.ts:70`); a study's own language is that of `Study.ts:64` (ESMira-web 0750ca3).
    @Test(
        arguments: [
            (#""defaultLang":"de","#, nil, "de"), (#""defaultLang":"de","#, "en", "en"), ("", nil, "en"),
            ("", "de", "de"), ("", "fr", "en"), (#""defaultLang":"fr","#, nil, "en"),
        ] as [(String, String?, String)])
    func aFileThatTheEditorDownloadsIsReadInOneOfItsLanguages(
        _ own: String, _ asked: String?, _ language: String
    ) throws {
        let text =
            #"{"id":1,"lang":"xx",\#(own)"langCodes":["en","de"],"title":{"en":"Mood","de":"Stimmung"},"contactEmail":"a@b.c","eventUploadSettings":{},"questionnaires":[{"internalId":2,"title":{"en":"Now","de":"Jetzt"},"pages":[{"inputs":[{"name":"a","responseType":"list_single","listChoices":[{"en":"yes","de":"ja"},"?"]}]}]}]}"#
        var source = StudySource(Array(text.utf8))
        source.options.askedLanguage = asked
        let study = try ESMiraReader().decode(source)
        let isGerman = language == "de"
        #expect(study.language == language && study.texts.contactEmail == "a@b.c")
        #expect(study.texts.name == (isGerman ? "Stimmung" : "Mood"))
        #expect(study.tasks[0].wireName == (isGerman ? "Jetzt" : "Now"))
        let choices = try ESMiraSample.questionnaire(of: study).inputs[0].choices
        #expect(choices == [isGerman ? "ja" : "yes", "?"])
    }

    /// What `studies.php` gives has one language, and says which.
    @Test func aStudyInOneLanguageKeepsIt() throws {
        let more = #","defaultLang":"de","langCodes":["de","en"]"#
        #expect(try ESMiraSample.study(ESMiraSample.pages, more).language == "en")
    }

    @Test(arguments: [(nil, "A"), ("de", "B"), ("fr", "A")] as [(String?, String)])
    func aCollectionIsReadInTheLanguageThatWasAskedFor(_ asked: String?, _ title: String) throws {
        func study(_ title: String) -> String {
            ESMiraSample.text(ESMiraSample.pages).replacing(#""title":"T""#, with: #""title":"\#(title)""#)
        }
        var source = StudySource(Array(#"{"_":\#(study("A")),"de":\#(study("B"))}"#.utf8))
        source.options.askedLanguage = asked
        #expect(try ESMiraReader().decode(source).texts.name == title)
    }

    @Test func everyPlaceMayHoldAnythingAndIsReadOrRefused() throws {
        let text = ESMiraSample.text(
            #"\#(ESMiraSample.pages),"durationPeriodDays":3,"actionTriggers":[{"actions":[{"timeout":5}],"schedules":[{"signalTimes":[{"random":true,"endTimeOfDay":7200000}]}],"eventTriggers":[{"delaySec":60}]}]"#
        )
        let root = try JSONNode(Array(text.utf8))
        for place in 0..<60 {
            for odd in OddJSON.odd {
                var count = place
                let node = OddJSON.replacing(root, &count, by: odd)
                var decoder = ESMiraDecoder(JSONPlace(root: node))
                if let study = try? decoder.study() { _ = ESMiraSample.occurrences(study) }
            }
        }
    }
}
