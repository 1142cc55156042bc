// SPDX-License-Identifier: Apache-2.0

/// The signals that the card sheet explains, in the order in which they are met.
enum SignalTable {
    static let entries: [(meaning: Phrase, cue: Cue)] = [
        (Phrase("idle", de: "in Ruhe", es: "en reposo"), .alive),
        (Phrase("idle, recording", de: "in Ruhe, es wird gemessen", es: "en reposo, registrando"), .recording),
        (
            Phrase("a prompt waits", de: "eine Erinnerung wartet", es: "hay un aviso pendiente"),
            .prompt(title: "", message: "")
        ),
        (
            Phrase("card number (here 12)", de: "Kartennummer (hier 12)", es: "número de tarjeta (aquí 12)"),
            .card(12, text: "")
        ),
        (
            Phrase("option or position (here 3)", de: "Antwort oder Stelle (hier 3)", es: "opción o posición (aquí 3)"),
            .position("3")
        ),
        (
            Phrase("letter (here the third)", de: "Buchstabe (hier der dritte)", es: "letra (aquí la tercera)"),
            .letter(3, text: .symbol("c"))
        ),
        (
            Phrase("option 3, ticked", de: "Antwort 3, ausgewählt", es: "opción 3, seleccionada"),
            .option(3, text: "", isTicked: true)
        ),
        (
            Phrase(
                "no answer: choose to skip the question", de: "keine Antwort: Auswählen überspringt die Frage",
                es: "sin respuesta: al elegir se omite la pregunta"), .leaveOut
        ),
        (
            Phrase(
                "done: choose to finish", de: "fertig: Auswählen beendet die Eingabe",
                es: "listo: al elegir termina la entrada"), .done
        ),
        (Phrase("clear the entry", de: "Eingabe löschen", es: "borrar la entrada"), .clear),
        (Phrase("read back (here 42)", de: "vorgelesen (hier 42)", es: "lectura (aquí 42)"), .value("42")),
        (Phrase("right? submit?", de: "richtig? absenden?", es: "¿correcto? ¿enviar?"), .confirm),
        (Phrase("accepted", de: "angenommen", es: "aceptado"), .accepted),
        (Phrase("accepted: yes", de: "angenommen: Ja", es: "aceptado: sí"), .answer(isYes: true, "")),
        (Phrase("accepted: no", de: "angenommen: Nein", es: "aceptado: no"), .answer(isYes: false, "")),
        (Phrase("undone", de: "zurückgenommen", es: "deshecho"), .undone),
        (Phrase("an answer is needed", de: "Antwort erforderlich", es: "hay que responder"), .required),
        (Phrase("not possible here", de: "hier nicht möglich", es: "aquí no es posible"), .refused),
        (Phrase("still waiting for you", de: "wartet noch", es: "sigue esperando"), .reminder),
        (
            Phrase("time is running out", de: "die Zeit läuft gleich ab", es: "el tiempo se está acabando"),
            .timeRunningOut
        ),
        (Phrase("time is up", de: "die Zeit ist abgelaufen", es: "se acabó el tiempo"), .expired),
        (Phrase("recording starts", de: "Aufnahme beginnt", es: "comienza la grabación"), .recordingStarted),
        (Phrase("recording ends", de: "Aufnahme endet", es: "termina la grabación"), .recordingStopped),
        (Phrase("a kick was counted", de: "ein Tritt wurde gezählt", es: "se ha contado una patada"), .counted(1)),
        (
            Phrase(
                "towers (here disks 1, 3, none on top)", de: "Türme (hier liegen oben die Scheiben 1, 3, keine)",
                es: "torres (aquí, arriba: discos 1, 3, ninguno)"), .towers([[1], [3], []])
        ),
        (
            Phrase(
                "the disks of one tower, from below (here 3, 1)", de: "die Scheiben eines Turms, von unten (hier 3, 1)",
                es: "los discos de una torre, desde abajo (aquí 3, 1)"), .tower(0, [3, 1])
        ),
        (
            Phrase(
                "watch: a sequence is coming", de: "aufgepasst: eine Folge kommt", es: "atención: viene una secuencia"),
            .watch
        ),
        (Phrase("your turn", de: "du bist dran", es: "tu turno"), .yourTurn),
        (Phrase("a game was won", de: "Spiel gewonnen", es: "juego ganado"), .won),
        (Phrase("a game was lost", de: "Spiel verloren", es: "juego perdido"), .lost),
        (
            Phrase("reacted to the light", de: "auf das Licht reagiert", es: "se reaccionó a la luz"), .reacted(250)
        ),
        (Phrase("pressed before the light", de: "vor dem Licht gedrückt", es: "pulsado antes de la luz"), .tooEarly),
        (Phrase("not pressed in time", de: "nicht rechtzeitig gedrückt", es: "no pulsado a tiempo"), .tooLate),
        (Phrase("stored safely", de: "sicher gespeichert", es: "guardado"), .saved),
        (Phrase("delivered to the server", de: "beim Server angekommen", es: "entregado al servidor"), .delivered),
        (
            Phrase(
                "stored in 4 seconds unless undone",
                de: "in 4 Sekunden gespeichert, wenn nicht zurückgenommen",
                es: "se guarda en 4 segundos si no se deshace"), .undoable(seconds: 4)
        ),
        (Phrase("leave without saving?", de: "ohne Speichern beenden?", es: "¿terminar sin guardar?"), .leaveRun),
        (Phrase("left without saving", de: "ohne Speichern beendet", es: "terminado sin guardar"), .runLeft),
        (
            Phrase(
                "list entry (here 2)", de: "Eintrag der Liste (hier 2)", es: "entrada de la lista (aquí 2)"
            ),
            .listItem(2, text: "")
        ),
        (
            Phrase(
                "menu entry (here 2)", de: "Eintrag im Menü (hier 2)", es: "entrada de menú (aquí 2)"),
            .menuItem(2, PanelPhrases.back)
        ),
        (Phrase("nothing to do now", de: "im Moment nichts zu tun", es: "ahora no hay nada que hacer"), .nothingOpen),
        (Phrase("postponed", de: "aufgeschoben", es: "aplazado"), .putOff),
        (Phrase("prompts off", de: "Erinnerungen aus", es: "avisos desactivados"), .promptsOff),
        (Phrase("prompts on", de: "Erinnerungen an", es: "avisos activados"), .promptsOn),
        (
            Phrase("leave the study?", de: "aus der Studie aussteigen?", es: "¿abandonar el estudio?"),
            .leaveStudy(stage: 1)
        ),
        (
            Phrase(
                "… for good?", de: "… endgültig?",
                es: "¿… definitivamente?"), .leaveStudy(stage: 2)
        ),
        (
            Phrase(
                "delete your answers?", de: "Antworten löschen?",
                es: "¿borrar tus respuestas?"), .leaveStudy(stage: 3)
        ),
        (
            Phrase("a message has come", de: "eine Nachricht ist da", es: "ha llegado un mensaje"),
            .news("")
        ),
        (
            Phrase("holding: first step", de: "halten: erste Stufe", es: "mantener: primer paso"),
            .held(level: 1, .select)
        ),
        (
            Phrase(
                "fault: call the study team", de: "Störung: das Studienteam anrufen",
                es: "algo falla: llama al equipo del estudio"), .fault(FaultPhrases.general)
        ),
    ]
}
