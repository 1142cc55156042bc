// SPDX-License-Identifier: Apache-2.0
import Base

extension TaskRun {
    mutating func go(_ move: Navigator.Move, at now: MonotonicTime) {
        switch move {
        case .step(let step): ask(step, at: now)
        case .required(let step):
            cues.append(.required)
            ask(step, at: now)
        case .finished: review(at: now)
        }
    }

    mutating func ask(_ step: Step, at now: MonotonicTime) {
        let (format, order) = told(step)
        let number = cards.number(task: opened.task.key, step: step.key) ?? 0
        let context = QuestionContext(
            panel: panel, now: clock(at: now), recordingID: "\(id)-\(number)-\(questions.count + 1)",
            optionOrder: order,
            generator: opened.generator, time: now, progress: progress)
        progress = nil
        question = format.machine(in: context)
        leaveStep(for: step.key, at: now)
        questions.append(RunRecord.Question(step: step.key, card: number, presented: now))
        (state, isFresh, isWarned) = (.asking, false, false)
        if let section = navigator.section, section != page?.section { page = (section, now) }
        cues.append(cue(for: step))
        let starting = recorders.told(step.key, at: now)
        if !starting.isEmpty { effects.append(.device(.startRecorders(starting))) }
        perform(question.begin(), at: now)
    }

    /// What was to be recorded up to the step that was told last ends, unless the same
    /// step is told again.
    mutating func leaveStep(for next: String?, at now: MonotonicTime) {
        if let last = questions.last?.step, last != next { stop(recorders.left(last, at: now)) }
    }

    mutating func stop(_ recordings: [String]) {
        if !recordings.isEmpty { effects.append(.device(.stopRecorders(recordings))) }
    }

    /// The step as the file has it, for the numbers of the options, and the order of this opening.
    private func told(_ step: Step) -> (AnswerFormat, [Int]?) {
        let original = opened.task.content.steps.first { $0.key == step.key }?.format
        guard case .choice(let filed) = original, case .choice(let shuffled) = step.format,
            filed.options != shuffled.options
        else { return (step.format, nil) }
        var left = Array(filed.options.enumerated())
        let order = shuffled.options.compactMap { option in
            left.firstIndex { $0.element == option }.map { left.remove(at: $0).offset }
        }
        return order.count == filed.options.count ? (.choice(filed), order) : (step.format, nil)
    }

    mutating func perform(_ wanted: [QuestionEffect], at now: MonotonicTime) {
        for effect in wanted { perform(effect, at: now) }
    }

    private mutating func perform(_ effect: QuestionEffect, at now: MonotonicTime) {
        switch effect {
        case .say(let cue): cues.append(cue)
        case .repeatText: readCard()
        case .answered(let value): answered(value, at: now)
        case .leftOut: leaveOut(keepingAnswer: true, at: now)
        case .back: goBack(at: now)
        case .device(.remark(let words)):
            effects.append(.device(.remark("question \(navigator.current?.key ?? ""): \(words)")))
        case .device(let device):
            switch device {
            case .startRecording: recordingEnds = now + limits.recording
            case .stopRecording: recordingEnds = nil
            default: break
            }
            effects.append(.device(device))
        case .progress(let progress): effects.append(.progress(progress))
        }
    }

    mutating func readCard() {
        if let step = navigator.current { cues.append(cue(for: step)) }
    }

    /// What the participant's wall clock shows, unless it was moved since the run began.
    private func clock(at now: MonotonicTime) -> LocalDateTime {
        self.now.adding(now - began)
    }

    /// What the wall clock showed when the present question was told; nil before the first.
    var clockOfQuestion: LocalDateTime? { questions.last.map { clock(at: $0.presented) } }

    private func cue(for step: Step) -> Cue {
        let number = cards.number(task: opened.task.key, step: step.key) ?? 0
        guard let told = piped(step) else { return .card(number, text: step.text) }
        return .card(number, text: told.text, parts: told.parts)
    }

    /// The text with an earlier answer in it; nil where it has none to take in.
    private func piped(_ step: Step) -> (text: String, parts: [Said])? {
        if let text = step.telling?.text(navigator.factsNow) { return (text, [.study(text)]) }
        return step.piping.map { piping in
            let format = cards.format(of: piping, in: opened.task)
            let answer = piping.answer(in: navigator.factsNow)
            return PipedText(step.text, snippet: piping.snippet).filled(
                with: PipedText.Answer(answer, to: format, in: words))
        }
    }

    /// What is asked now, in the words of the file or with an earlier answer in
    /// them; nil at the end.
    package var currentText: String? {
        current.map { step in piped(step)?.text ?? step.text }
    }

    private mutating func answered(_ value: AnswerValue, at now: MonotonicTime) {
        guard let step = navigator.current else { return }
        if step.isRequired, value == .choices([]) || value == .cleared { return requireAgain(step, at: now) }
        closeQuestion(at: now)
        cues += accepted(value, of: step)
        go(navigator.answer(value), at: now)
    }

    /// Yes and no are given by one press, which may have been another than was meant; everything
    /// else was told before it was chosen.
    private func accepted(_ value: AnswerValue, of step: Step) -> [Cue] {
        if case .yesNo = step.format { step.format.kind.saidBack(value) } else { [.accepted] }
    }

    /// Passing over a question that was answered before keeps its answer; only the
    /// menu takes it away.
    mutating func leaveOut(keepingAnswer: Bool, at now: MonotonicTime) {
        guard let step = navigator.current else { return }
        let kept = keepingAnswer ? navigator.answers[step.key] : nil
        guard kept != nil || mayBeEmpty(step) else { return requireAgain(step, at: now) }
        if !step.format.isQuestion || kept != nil { closeQuestion(at: now) }
        cues.append(.accepted)
        go(navigator.answer(kept), at: now)
    }

    /// Whether passing over the current question is accepted: it need not be
    /// answered, or was before.
    var mayPassOver: Bool { current.map { navigator.answers[$0.key] != nil || mayBeEmpty($0) } ?? false }

    private func mayBeEmpty(_ step: Step) -> Bool {
        !step.isRequired || !step.format.isQuestion || opened.presets.contains(step.key)
    }

    private mutating func requireAgain(_ step: Step, at now: MonotonicTime) {
        cues.append(.required)
        ask(step, at: now)
    }

    private mutating func closeQuestion(at now: MonotonicTime) {
        if !questions.isEmpty { questions[questions.count - 1].answered = now }
    }

    mutating func goBack(at now: MonotonicTime) {
        guard let step = navigator.back() else {
            cues.append(.refused)
            return
        }
        cues.append(.undone)
        ask(step, at: now)
    }
}
