// Generated: node docs/generate/chart.ts
import type { ChartLayout } from "./chart-types.ts";

export const chartLayouts: { wide: ChartLayout; narrow: ChartLayout } = {
 "wide": {
  "width": 834,
  "height": 935,
  "states": [
   {
    "id": "at rest",
    "title": "at rest",
    "frame": true,
    "x": 447,
    "y": 49,
    "width": 228.4,
    "height": 179
   },
   {
    "id": "idle",
    "title": "idle",
    "parent": "at rest",
    "frame": false,
    "x": 489,
    "y": 81,
    "width": 84,
    "height": 38
   },
   {
    "id": "running",
    "title": "running",
    "frame": true,
    "x": 384,
    "y": 515,
    "width": 129,
    "height": 179
   },
   {
    "id": "running.live",
    "title": "live",
    "parent": "running",
    "frame": false,
    "x": 406.5,
    "y": 547,
    "width": 84,
    "height": 38
   },
   {
    "id": "running.aborting",
    "title": "aborting",
    "parent": "running",
    "frame": false,
    "x": 402.5,
    "y": 642,
    "width": 92,
    "height": 38
   },
   {
    "id": "deciding",
    "title": "deciding",
    "frame": false,
    "x": 215,
    "y": 774,
    "width": 92,
    "height": 38
   },
   {
    "id": "backoff",
    "title": "backoff",
    "frame": false,
    "x": 582,
    "y": 885,
    "width": 84,
    "height": 38
   },
   {
    "id": "compacting",
    "title": "compacting",
    "frame": false,
    "x": 276,
    "y": 357.6,
    "width": 110,
    "height": 38
   },
   {
    "id": "settled",
    "title": "settled",
    "parent": "at rest",
    "frame": false,
    "x": 577.4,
    "y": 176,
    "width": 84,
    "height": 38
   }
  ],
  "edges": [
   {
    "steps": [
     "idle>compacting",
     "settled>compacting"
    ],
    "source": "at rest",
    "target": "compacting",
    "points": [
     {
      "x": 461,
      "y": 228
     },
     {
      "x": 461,
      "y": 240
     },
     {
      "x": 431,
      "y": 240
     },
     {
      "x": 431,
      "y": 336
     },
     {
      "x": 359,
      "y": 336
     },
     {
      "x": 359,
      "y": 357.6
     }
    ],
    "label": {
     "x": 347,
     "y": 262,
     "width": 167,
     "height": 62,
     "lines": [
      "PROMPT, STEER, FOLLOW_UP",
      "if over the threshold",
      "CONTINUE if pending",
      "COMPACT"
     ]
    }
   },
   {
    "steps": [
     "idle>running",
     "settled>running"
    ],
    "source": "at rest",
    "target": "running",
    "points": [
     {
      "x": 471,
      "y": 228
     },
     {
      "x": 471,
      "y": 250
     },
     {
      "x": 530,
      "y": 250
     },
     {
      "x": 530,
      "y": 493
     },
     {
      "x": 459,
      "y": 493
     },
     {
      "x": 459,
      "y": 515
     }
    ],
    "label": {
     "x": 443,
     "y": 363,
     "width": 173,
     "height": 32,
     "lines": [
      "PROMPT, STEER, FOLLOW_UP,",
      "CONTINUE"
     ]
    }
   },
   {
    "steps": [
     "idle>backoff",
     "settled>backoff"
    ],
    "source": "at rest",
    "target": "backoff",
    "points": [
     {
      "x": 481,
      "y": 228
     },
     {
      "x": 481,
      "y": 240
     },
     {
      "x": 632,
      "y": 240
     },
     {
      "x": 632,
      "y": 885
     }
    ],
    "label": {
     "x": 545,
     "y": 598.5,
     "width": 173,
     "height": 17,
     "lines": [
      "CONTINUE if retry pending"
     ]
    }
   },
   {
    "steps": [
     "idle>settled"
    ],
    "source": "idle",
    "target": "settled",
    "points": [
     {
      "x": 531,
      "y": 119
     },
     {
      "x": 531,
      "y": 166
     },
     {
      "x": 594.2,
      "y": 166
     },
     {
      "x": 594.2,
      "y": 176
     }
    ],
    "label": {
     "x": 461,
     "y": 139,
     "width": 140,
     "height": 17,
     "lines": [
      "LOG_FAILED, restored"
     ]
    }
   },
   {
    "steps": [
     "running>deciding"
    ],
    "source": "running",
    "target": "deciding",
    "points": [
     {
      "x": 439,
      "y": 694
     },
     {
      "x": 439,
      "y": 711
     },
     {
      "x": 347,
      "y": 711
     },
     {
      "x": 347,
      "y": 752
     },
     {
      "x": 276,
      "y": 752
     },
     {
      "x": 276,
      "y": 774
     }
    ],
    "label": {
     "x": 277,
     "y": 723,
     "width": 140,
     "height": 17,
     "lines": [
      "run ended, run broke"
     ]
    }
   },
   {
    "steps": [
     "running.live>running.aborting"
    ],
    "source": "running.live",
    "target": "running.aborting",
    "points": [
     {
      "x": 448.5,
      "y": 585
     },
     {
      "x": 448.5,
      "y": 642
     }
    ],
    "label": {
     "x": 398,
     "y": 605,
     "width": 101,
     "height": 17,
     "lines": [
      "ABORT, DISPOSE"
     ]
    }
   },
   {
    "steps": [
     "running.aborting>deciding"
    ],
    "source": "running.aborting",
    "target": "deciding",
    "points": [
     {
      "x": 448.5,
      "y": 680
     },
     {
      "x": 449,
      "y": 699
     },
     {
      "x": 449,
      "y": 711
     },
     {
      "x": 466,
      "y": 711
     },
     {
      "x": 466,
      "y": 762
     },
     {
      "x": 292,
      "y": 762
     },
     {
      "x": 292,
      "y": 774
     }
    ],
    "label": {
     "x": 429,
     "y": 723,
     "width": 74,
     "height": 17,
     "lines": [
      "grace over"
     ]
    }
   },
   {
    "steps": [
     "deciding>settled"
    ],
    "source": "deciding",
    "target": "settled",
    "points": [
     {
      "x": 230,
      "y": 774
     },
     {
      "x": 230,
      "y": 762
     },
     {
      "x": 66,
      "y": 762
     },
     {
      "x": 66,
      "y": 12
     },
     {
      "x": 628,
      "y": 12
     },
     {
      "x": 627.8,
      "y": 44
     },
     {
      "x": 627.8,
      "y": 176
     }
    ],
    "label": {
     "x": 12,
     "y": 348,
     "width": 107,
     "height": 62,
     "lines": [
      "1 aborted",
      "4 overflowAgain",
      "6 otherFailure",
      "9 completed"
     ]
    }
   },
   {
    "steps": [
     "deciding>backoff"
    ],
    "source": "deciding",
    "target": "backoff",
    "points": [
     {
      "x": 261,
      "y": 812
     },
     {
      "x": 261,
      "y": 873
     },
     {
      "x": 599,
      "y": 873
     },
     {
      "x": 599,
      "y": 885
     }
    ],
    "label": {
     "x": 210,
     "y": 834,
     "width": 101,
     "height": 17,
     "lines": [
      "2 retryFailure"
     ]
    }
   },
   {
    "steps": [
     "deciding>compacting"
    ],
    "source": "deciding",
    "target": "compacting",
    "points": [
     {
      "x": 246,
      "y": 774
     },
     {
      "x": 246,
      "y": 752
     },
     {
      "x": 170,
      "y": 752
     },
     {
      "x": 170,
      "y": 422
     },
     {
      "x": 313,
      "y": 422
     },
     {
      "x": 313,
      "y": 395.6
     }
    ],
    "label": {
     "x": 83,
     "y": 583.5,
     "width": 173,
     "height": 47,
     "lines": [
      "3 overflowOnCompleteReply",
      "5 recoverOverflow",
      "7 overThreshold"
     ]
    }
   },
   {
    "steps": [
     "deciding>running"
    ],
    "source": "deciding",
    "target": "running",
    "points": [
     {
      "x": 261,
      "y": 774
     },
     {
      "x": 261,
      "y": 711
     },
     {
      "x": 305,
      "y": 711
     },
     {
      "x": 305,
      "y": 503
     },
     {
      "x": 439,
      "y": 503
     },
     {
      "x": 439,
      "y": 515
     }
    ],
    "label": {
     "x": 268,
     "y": 598.5,
     "width": 74,
     "height": 17,
     "lines": [
      "8 moreToDo"
     ]
    }
   },
   {
    "steps": [
     "backoff>settled"
    ],
    "source": "backoff",
    "target": "settled",
    "points": [
     {
      "x": 649,
      "y": 885
     },
     {
      "x": 649,
      "y": 863
     },
     {
      "x": 736,
      "y": 863
     },
     {
      "x": 736,
      "y": 32
     },
     {
      "x": 645,
      "y": 32
     },
     {
      "x": 644.6,
      "y": 44
     },
     {
      "x": 644.6,
      "y": 176
     }
    ],
    "label": {
     "x": 649,
     "y": 434,
     "width": 173,
     "height": 47,
     "lines": [
      "ABORT, DISPOSE,",
      "ABORT_RETRY, LOG_FAILED",
      "SET_SETTINGS if retry off"
     ]
    }
   },
   {
    "steps": [
     "backoff>running"
    ],
    "source": "backoff",
    "target": "running",
    "points": [
     {
      "x": 616,
      "y": 885
     },
     {
      "x": 616,
      "y": 863
     },
     {
      "x": 529,
      "y": 863
     },
     {
      "x": 529,
      "y": 503
     },
     {
      "x": 469,
      "y": 503
     },
     {
      "x": 469,
      "y": 515
     }
    ],
    "label": {
     "x": 515,
     "y": 723,
     "width": 28,
     "height": 17,
     "lines": [
      "due"
     ]
    }
   },
   {
    "steps": [
     "compacting>idle"
    ],
    "source": "compacting",
    "target": "idle",
    "points": [
     {
      "x": 331,
      "y": 357.6
     },
     {
      "x": 331,
      "y": 32
     },
     {
      "x": 531,
      "y": 32
     },
     {
      "x": 531,
      "y": 81
     }
    ],
    "label": {
     "x": 241,
     "y": 120,
     "width": 180,
     "height": 32,
     "lines": [
      "ABORT, DISPOSE, done if by",
      "hand"
     ]
    }
   },
   {
    "steps": [
     "compacting>settled"
    ],
    "source": "compacting",
    "target": "settled",
    "points": [
     {
      "x": 304,
      "y": 357.6
     },
     {
      "x": 304,
      "y": 336
     },
     {
      "x": 156,
      "y": 336
     },
     {
      "x": 156,
      "y": 22
     },
     {
      "x": 611,
      "y": 22
     },
     {
      "x": 611,
      "y": 176
     }
    ],
    "label": {
     "x": 82,
     "y": 120,
     "width": 147,
     "height": 32,
     "lines": [
      "ABORT, DISPOSE, done,",
      "broke"
     ]
    }
   },
   {
    "steps": [
     "compacting>running"
    ],
    "source": "compacting",
    "target": "running",
    "points": [
     {
      "x": 349,
      "y": 395.6
     },
     {
      "x": 349,
      "y": 493
     },
     {
      "x": 449,
      "y": 493
     },
     {
      "x": 449,
      "y": 515
     }
    ],
    "label": {
     "x": 331,
     "y": 449,
     "width": 35,
     "height": 17,
     "lines": [
      "done"
     ]
    }
   },
   {
    "steps": [
     "settled>settled"
    ],
    "source": "settled",
    "target": "settled",
    "points": [
     {
      "x": 577.4,
      "y": 188.7
     },
     {
      "x": 567.4,
      "y": 188.7
     },
     {
      "x": 567.4,
      "y": 201.3
     },
     {
      "x": 577.4,
      "y": 201.3
     }
    ],
    "label": {
     "x": 491.4,
     "y": 186.5,
     "width": 74,
     "height": 17,
     "lines": [
      "LOG_FAILED"
     ]
    }
   }
  ]
 },
 "narrow": {
  "width": 539,
  "height": 1110,
  "states": [
   {
    "id": "at rest",
    "title": "at rest",
    "frame": true,
    "x": 326,
    "y": 59,
    "width": 198,
    "height": 194
   },
   {
    "id": "idle",
    "title": "idle",
    "parent": "at rest",
    "frame": false,
    "x": 365.6,
    "y": 91,
    "width": 84,
    "height": 38
   },
   {
    "id": "running",
    "title": "running",
    "frame": true,
    "x": 294,
    "y": 650,
    "width": 120,
    "height": 194
   },
   {
    "id": "running.live",
    "title": "live",
    "parent": "running",
    "frame": false,
    "x": 312,
    "y": 682,
    "width": 84,
    "height": 38
   },
   {
    "id": "running.aborting",
    "title": "aborting",
    "parent": "running",
    "frame": false,
    "x": 308,
    "y": 792,
    "width": 92,
    "height": 38
   },
   {
    "id": "deciding",
    "title": "deciding",
    "frame": false,
    "x": 220,
    "y": 949,
    "width": 92,
    "height": 38
   },
   {
    "id": "backoff",
    "title": "backoff",
    "frame": false,
    "x": 232,
    "y": 1060,
    "width": 84,
    "height": 38
   },
   {
    "id": "compacting",
    "title": "compacting",
    "frame": false,
    "x": 203,
    "y": 432.6,
    "width": 110,
    "height": 38
   },
   {
    "id": "settled",
    "title": "settled",
    "parent": "at rest",
    "frame": false,
    "x": 426,
    "y": 201,
    "width": 84,
    "height": 38
   }
  ],
  "edges": [
   {
    "steps": [
     "idle>compacting",
     "settled>compacting"
    ],
    "source": "at rest",
    "target": "compacting",
    "points": [
     {
      "x": 366,
      "y": 253
     },
     {
      "x": 366,
      "y": 265
     },
     {
      "x": 320,
      "y": 265
     },
     {
      "x": 320,
      "y": 411
     },
     {
      "x": 286,
      "y": 411
     },
     {
      "x": 286,
      "y": 432.6
     }
    ],
    "label": {
     "x": 279,
     "y": 277,
     "width": 81,
     "height": 122,
     "lines": [
      "PROMPT,",
      "STEER,",
      "FOLLOW_UP",
      "if over the",
      "threshold",
      "CONTINUE if",
      "pending",
      "COMPACT"
     ]
    }
   },
   {
    "steps": [
     "idle>running",
     "settled>running"
    ],
    "source": "at rest",
    "target": "running",
    "points": [
     {
      "x": 376,
      "y": 253
     },
     {
      "x": 376,
      "y": 628
     },
     {
      "x": 328,
      "y": 628
     },
     {
      "x": 328,
      "y": 650
     }
    ],
    "label": {
     "x": 339,
     "y": 423,
     "width": 74,
     "height": 62,
     "lines": [
      "PROMPT,",
      "STEER,",
      "FOLLOW_UP,",
      "CONTINUE"
     ]
    }
   },
   {
    "steps": [
     "idle>backoff",
     "settled>backoff"
    ],
    "source": "at rest",
    "target": "backoff",
    "points": [
     {
      "x": 386,
      "y": 253
     },
     {
      "x": 386,
      "y": 265
     },
     {
      "x": 487,
      "y": 265
     },
     {
      "x": 487,
      "y": 1048
     },
     {
      "x": 299,
      "y": 1048
     },
     {
      "x": 299,
      "y": 1060
     }
    ],
    "label": {
     "x": 446,
     "y": 726,
     "width": 81,
     "height": 47,
     "lines": [
      "CONTINUE if",
      "retry",
      "pending"
     ]
    }
   },
   {
    "steps": [
     "idle>settled"
    ],
    "source": "idle",
    "target": "settled",
    "points": [
     {
      "x": 407.6,
      "y": 129
     },
     {
      "x": 407.6,
      "y": 191
     },
     {
      "x": 442.8,
      "y": 191
     },
     {
      "x": 442.8,
      "y": 201
     }
    ],
    "label": {
     "x": 367.1,
     "y": 149,
     "width": 81,
     "height": 32,
     "lines": [
      "LOG_FAILED,",
      "restored"
     ]
    }
   },
   {
    "steps": [
     "running>deciding"
    ],
    "source": "running",
    "target": "deciding",
    "points": [
     {
      "x": 364,
      "y": 844
     },
     {
      "x": 364,
      "y": 861
     },
     {
      "x": 367,
      "y": 861
     },
     {
      "x": 367,
      "y": 917
     },
     {
      "x": 297,
      "y": 917
     },
     {
      "x": 297,
      "y": 949
     }
    ],
    "label": {
     "x": 330,
     "y": 873,
     "width": 74,
     "height": 32,
     "lines": [
      "run ended,",
      "run broke"
     ]
    }
   },
   {
    "steps": [
     "running.live>running.aborting"
    ],
    "source": "running.live",
    "target": "running.aborting",
    "points": [
     {
      "x": 354,
      "y": 720
     },
     {
      "x": 354,
      "y": 792
     }
    ],
    "label": {
     "x": 326.5,
     "y": 740,
     "width": 55,
     "height": 32,
     "lines": [
      "ABORT,",
      "DISPOSE"
     ]
    }
   },
   {
    "steps": [
     "running.aborting>deciding"
    ],
    "source": "running.aborting",
    "target": "deciding",
    "points": [
     {
      "x": 354,
      "y": 830
     },
     {
      "x": 354,
      "y": 861
     },
     {
      "x": 281,
      "y": 861
     },
     {
      "x": 281,
      "y": 949
     }
    ],
    "label": {
     "x": 244,
     "y": 880.5,
     "width": 74,
     "height": 17,
     "lines": [
      "grace over"
     ]
    }
   },
   {
    "steps": [
     "deciding>settled"
    ],
    "source": "deciding",
    "target": "settled",
    "points": [
     {
      "x": 235,
      "y": 949
     },
     {
      "x": 235,
      "y": 937
     },
     {
      "x": 117,
      "y": 937
     },
     {
      "x": 117,
      "y": 22
     },
     {
      "x": 476,
      "y": 22
     },
     {
      "x": 476.4,
      "y": 54
     },
     {
      "x": 476.4,
      "y": 201
     }
    ],
    "label": {
     "x": 73,
     "y": 445.5,
     "width": 88,
     "height": 17,
     "lines": [
      "rule 1 4 6 9"
     ]
    }
   },
   {
    "steps": [
     "deciding>backoff"
    ],
    "source": "deciding",
    "target": "backoff",
    "points": [
     {
      "x": 266,
      "y": 987
     },
     {
      "x": 266,
      "y": 1060
     }
    ],
    "label": {
     "x": 242,
     "y": 1009,
     "width": 48,
     "height": 17,
     "lines": [
      "rule 2"
     ]
    }
   },
   {
    "steps": [
     "deciding>compacting"
    ],
    "source": "deciding",
    "target": "compacting",
    "points": [
     {
      "x": 251,
      "y": 949
     },
     {
      "x": 251,
      "y": 927
     },
     {
      "x": 171,
      "y": 927
     },
     {
      "x": 171,
      "y": 497
     },
     {
      "x": 240,
      "y": 497
     },
     {
      "x": 240,
      "y": 470.6
     }
    ],
    "label": {
     "x": 134,
     "y": 741,
     "width": 74,
     "height": 17,
     "lines": [
      "rule 3 5 7"
     ]
    }
   },
   {
    "steps": [
     "deciding>running"
    ],
    "source": "deciding",
    "target": "running",
    "points": [
     {
      "x": 266,
      "y": 949
     },
     {
      "x": 266,
      "y": 917
     },
     {
      "x": 228,
      "y": 917
     },
     {
      "x": 228,
      "y": 861
     },
     {
      "x": 244,
      "y": 861
     },
     {
      "x": 244,
      "y": 638
     },
     {
      "x": 308,
      "y": 638
     },
     {
      "x": 308,
      "y": 650
     }
    ],
    "label": {
     "x": 220,
     "y": 741,
     "width": 48,
     "height": 17,
     "lines": [
      "rule 8"
     ]
    }
   },
   {
    "steps": [
     "backoff>settled"
    ],
    "source": "backoff",
    "target": "settled",
    "points": [
     {
      "x": 249,
      "y": 1060
     },
     {
      "x": 249,
      "y": 1038
     },
     {
      "x": 56,
      "y": 1038
     },
     {
      "x": 56,
      "y": 12
     },
     {
      "x": 493,
      "y": 12
     },
     {
      "x": 493.2,
      "y": 54
     },
     {
      "x": 493.2,
      "y": 201
     }
    ],
    "label": {
     "x": 12,
     "y": 509,
     "width": 88,
     "height": 107,
     "lines": [
      "ABORT,",
      "DISPOSE,",
      "ABORT_RETRY,",
      "LOG_FAILED",
      "SET_SETTINGS",
      "if retry",
      "off"
     ]
    }
   },
   {
    "steps": [
     "backoff>running"
    ],
    "source": "backoff",
    "target": "running",
    "points": [
     {
      "x": 282,
      "y": 1060
     },
     {
      "x": 282,
      "y": 1038
     },
     {
      "x": 430,
      "y": 1038
     },
     {
      "x": 430,
      "y": 638
     },
     {
      "x": 338,
      "y": 638
     },
     {
      "x": 338,
      "y": 650
     }
    ],
    "label": {
     "x": 416,
     "y": 880.5,
     "width": 28,
     "height": 17,
     "lines": [
      "due"
     ]
    }
   },
   {
    "steps": [
     "compacting>idle"
    ],
    "source": "compacting",
    "target": "idle",
    "points": [
     {
      "x": 258,
      "y": 432.6
     },
     {
      "x": 258,
      "y": 265
     },
     {
      "x": 263,
      "y": 265
     },
     {
      "x": 263,
      "y": 42
     },
     {
      "x": 408,
      "y": 42
     },
     {
      "x": 407.6,
      "y": 54
     },
     {
      "x": 407.6,
      "y": 91
     }
    ],
    "label": {
     "x": 226,
     "y": 122.5,
     "width": 74,
     "height": 62,
     "lines": [
      "ABORT,",
      "DISPOSE,",
      "done if by",
      "hand"
     ]
    }
   },
   {
    "steps": [
     "compacting>settled"
    ],
    "source": "compacting",
    "target": "settled",
    "points": [
     {
      "x": 231,
      "y": 432.6
     },
     {
      "x": 231,
      "y": 411
     },
     {
      "x": 174,
      "y": 411
     },
     {
      "x": 174,
      "y": 32
     },
     {
      "x": 460,
      "y": 32
     },
     {
      "x": 459.6,
      "y": 54
     },
     {
      "x": 459.6,
      "y": 201
     }
    ],
    "label": {
     "x": 133,
     "y": 130,
     "width": 81,
     "height": 47,
     "lines": [
      "ABORT,",
      "DISPOSE,",
      "done, broke"
     ]
    }
   },
   {
    "steps": [
     "compacting>running"
    ],
    "source": "compacting",
    "target": "running",
    "points": [
     {
      "x": 276,
      "y": 470.6
     },
     {
      "x": 276,
      "y": 628
     },
     {
      "x": 318,
      "y": 628
     },
     {
      "x": 318,
      "y": 650
     }
    ],
    "label": {
     "x": 258,
     "y": 554,
     "width": 35,
     "height": 17,
     "lines": [
      "done"
     ]
    }
   },
   {
    "steps": [
     "settled>settled"
    ],
    "source": "settled",
    "target": "settled",
    "points": [
     {
      "x": 426,
      "y": 213.7
     },
     {
      "x": 416,
      "y": 213.7
     },
     {
      "x": 416,
      "y": 226.3
     },
     {
      "x": 426,
      "y": 226.3
     }
    ],
    "label": {
     "x": 340,
     "y": 211.5,
     "width": 74,
     "height": 17,
     "lines": [
      "LOG_FAILED"
     ]
    }
   }
  ]
 }
};
