// SPDX-License-Identifier: Apache-2.0
import Base

/// The result of one run of SageResearch's assessments, as `assessmentResult.json` of its archive has it;
/// `LabArchives` makes a submission of it.
///
/// Source: Sage-Bionetworks/mobile-client-json, schemas/v2/AssessmentResultObject.json and
/// ResultData.json.
enum SageResult {
    private static let largest = 16 << 20
    private static let deepest = 32

    /// Nil where the archive has none that can be read.
    static func submission(in zip: ZipReader, id: String, received: Instant) -> StudySubmission? {
        guard let root = json(zip, "assessmentResult.json"), let ended = StudyTime(root["endDate"]?.string) else {
            return nil
        }
        let metadata = json(zip, "metadata.json")
        let own = metadata?["files"]?.array.first { $0["filename"]?.string == "assessmentResult.json" }
        var answers: [StudySubmission.Answer] = []
        add(root["stepHistory"]?.array ?? [], [], to: &answers)
        var known: Set<String> = []
        answers = answers.reversed().filter { known.insert($0.item).inserted }.reversed()
        let task = root["assessmentIdentifier"]?.string ?? root["identifier"]?.string ?? ""
        var submission = StudySubmission(
            id: id, enrolment: nil, task: task, taskName: nil, due: StudyTime(metadata?["scheduledOn"]?.string),
            opened: StudyTime(root["startDate"]?.string), answered: ended, received: received,
            clockError: own?["metadata"]?["clockError"]?.double, answers: answers)
        submission.run = root["taskRunUUID"]?.string
        return submission
    }

    private static func json(_ zip: ZipReader, _ name: String) -> JSONText? {
        zip.contents(of: name, limit: largest).flatMap { JSONText(parsing: String(decoding: $0, as: UTF8.self)) }
    }

    /// A question is called by its sections, its form and its own name: `left_hand_score`, as in
    /// `answers.json` of an AssessmentModel (SageResearch's has the innermost section alone). Where a step
    /// came again, the last result is the answer.
    private static func add(_ results: [JSONText], _ path: [String], to answers: inout [StudySubmission.Answer]) {
        guard path.count < deepest else { return }
        let names = results.map { $0["identifier"]?.string ?? "" }
        // A choice of a hand lies beside the order of the hands, below the name of its step, which the step's key and
        // the reports' presses have.
        let isOfHands = !path.isEmpty && names.contains("handOrder")
        for (result, name) in zip(results, names) {
            let path = isOfHands && name == "handSelection" ? path : path + [name]
            switch result["type"]?.string {
            case "answer": add(result, path, value(of: result), to: &answers)
            case "tapping": add(result, path, result["tapCount"]?.plain, to: &answers)
            default:
                add((result["stepHistory"] ?? result["children"])?.array ?? [], path, to: &answers)
            }
        }
    }

    private static func add(
        _ result: JSONText, _ path: [String], _ value: String?, to answers: inout [StudySubmission.Answer]
    ) {
        let item = path.joined(separator: "_")
        answers.append(.init(item: item, value: value ?? "", answered: StudyTime(result["endDate"]?.string)))
    }

    /// The value of a spoken answer is the names of its files in the archive.
    private static func value(of result: JSONText) -> String? {
        let spoken = result["questionData"]?["spoken"]?.array.compactMap { $0["relativePath"]?.string } ?? []
        return spoken.isEmpty ? result["value"]?.plain : spoken.joined(separator: " ")
    }
}
